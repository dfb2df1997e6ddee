package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// keyRows are a lock and a fault for each class of faults.
var keyRows = []struct{ class, impl, nemesis string }{
	{"no fault", "token-lua", "none"},
	{"no fault, long work", "setpx-del", "overrun"},
	{"failover", "token-lua", "failover"},
	{"failover, control", "token-lua", "failover:healthy"},
	{"failover by Sentinel", "token-lua", "failover-sentinel"},
	{"client paused", "token-lua", "pause"},
	{"client killed", "setnx", "crash"},
	{"partition", "setpx-del", "partition"},
	{"connections refused", "setpx-del", "partition:refuse"},
	{"connections reset", "setpx-del", "partition:reset"},
	{"request lost", "setpx-del", "request-loss"},
	{"reply lost", "setpx-del", "reply-loss"},
	{"message late", "setpx-del", "late"},
	{"latency", "token-lua", "latency"},
	{"Redis restarts", "token-lua", "restart"},
	{"Redis restarts late", "token-lua", "restart-delayed"},
	{"Redis dies", "token-lua", "node-crash"},
	{"Redis' clock forward", "token-lua", "clock-server"},
	{"Redis' clock back", "token-lua", "clock-server:-"},
	{"client's clock", "getset", "clock-client"},
	{"Redis busy", "redisson", "busy:stay"},
	{"Redis paused", "redisson", "node-pause:stay"},
	{"one of five masters restarts", "redlock", "restart"},
	{"a minority of masters is lost", "redlock", "minority-loss"},
	{"a majority of masters is lost", "redlock", "majority-loss"},
}

// contained are the ways to have containers, as columns of the table. Each run of the tests has the
// first; LOCKBENCH_SOAK each whose image is there, and UPDATE=1 all.
var contained = []struct {
	name  string
	flags []string
}{
	{"in containers", nil},
	{"on a bridge", []string{"--docker-network", docker.Bridge}},
	{"workers in containers", []string{"--workers", docker.InContainer}},
	{"both", []string{"--docker-network", docker.Bridge, "--workers", docker.InContainer}},
	{"redis:6.0", []string{"--redis-image", "lockbench/redis:6.0"}},
	{"redis:8", []string{"--redis-image", "lockbench/redis:8"}},
	{"valkey:8", []string{"--redis-image", "lockbench/valkey:8"}},
	{"Redis 8.2", []string{"--server", "redis-8.2-server"}},
	{"Valkey 9.1", []string{"--server", "valkey-9.1-server"}},
}

// wanted says which columns are made. One whose image has to be built first and was not is left
// out, and so is one whose program is not in the path; the table keeps what it says of them.
func wanted(ctx context.Context, way int) bool {
	c := contained[way]
	switch {
	case asProcess(c.flags):
		_, err := exec.LookPath(c.flags[1])
		return err == nil && (testenv.Soak() || os.Getenv("UPDATE") != "")
	case way == 0:
		return true
	case !testenv.Soak() && os.Getenv("UPDATE") == "":
		return false
	case c.flags[0] != "--redis-image":
		return true
	}
	_, err := docker.ImageID(ctx, c.flags[1])
	return err == nil
}

// asProcess reports whether a column is another server as a process instead of containers.
func asProcess(flags []string) bool { return len(flags) > 0 && flags[0] == "--server" }

// adaptedRows are a library for each kind of fault that hits its process, its links or its servers.
var adaptedRows = [][]string{
	{"redis-py", "pause"}, {"redis-py", "failover:after"}, {"redsync", "restart"},
}

// TestLibrariesInContainers wants of released libraries the same, where their servers are
// containers: on the host's network, and on one of their own.
func TestLibrariesInContainers(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "docker")
	for _, row := range adaptedRows {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			t.Parallel()
			if here, err := condition("adapter:" + row[0]); err != nil || !here {
				t.Skip(row[0]+" is not set up here: lockbench adapters setup ", row[0], " ", err)
			}
			args := []string{"run", "--adapter", row[0], "--nemesis", row[1], "--ttl", outlasting}
			here := ""
			for _, c := range contained[:2] {
				var there string
				here, there, _ = inBoth(t, args, c.flags, here, "")
				if here != there {
					t.Errorf("as processes %s, %s %s", here, c.name, there)
				}
			}
		})
	}
}

// keyTries is how often a row is run where a verdict is unknown or the environments differ: a busy
// machine can spoil a run. The later tries, after triesBeside of them, run alone.
const (
	keyTries    = 10
	triesBeside = 3
)

// keyTable is the page with the table. UPDATE=1 writes it.
const keyTable = "../../lab/results/containers.md"

// TestContainersGiveTheVerdictsOfProcesses runs each key row in both environments.
func TestContainersGiveTheVerdictsOfProcesses(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	testenv.Part(t, "docker")
	var table keyCells
	var mu sync.Mutex
	var again [][2]int // rows and columns
	t.Run("rows", func(t *testing.T) {
		for i, row := range keyRows {
			t.Run(row.impl+" "+row.nemesis, func(t *testing.T) {
				t.Parallel()
				here, want := "", wantedVerdict(t, i)
				for way, c := range contained {
					if !wanted(t.Context(), way) {
						continue
					}
					var there, found string
					here, there, found = inBoth(t, keyArgs(i), c.flags, here, want)
					if there == impossible || settled(here, there, want) {
						table.note(i, way, here, there, found)
						continue
					}
					mu.Lock()
					again = append(again, [2]int{i, way})
					mu.Unlock()
				}
			})
		}
	})
	for _, x := range again {
		table.alone(t, x[0], x[1])
	}
	if !t.Failed() {
		table.compare(t)
	}
}

// alone runs a row once more with no other row beside it: where containers of several runs start at
// once, one may take longer to come back than the lease lasts, and then nothing is violated.
func (k *keyCells) alone(t *testing.T, row, way int) {
	here, there, found := inBoth(t, keyArgs(row), contained[way].flags, "", wantedVerdict(t, row))
	if there != impossible && (here != there || here == "unknown") {
		t.Errorf("%s: as processes: %s; %s: %s", keyRows[row].nemesis, here, contained[way].name, there)
	}
	k.note(row, way, here, there, found)
}

// outlasting is a lease that outlasts the end and the start of containers.
const outlasting = "3s"

// keyArgs run a key row.
func keyArgs(row int) []string {
	ttl := "1s"
	fault, _, _ := strings.Cut(keyRows[row].nemesis, ":")
	if slices.Contains([]string{"restart", "restart-delayed", "failover", "node-crash",
		"minority-loss", "majority-loss"}, fault) {
		ttl = outlasting
	}
	return []string{"run", "--impl", keyRows[row].impl, "--nemesis", keyRows[row].nemesis, "--ttl",
		ttl}
}

// wantedVerdict is what the page says of a row; "" if it is to be written.
func wantedVerdict(t *testing.T, row int) string {
	t.Helper()
	page, err := os.ReadFile(keyTable)
	if err != nil || os.Getenv("UPDATE") != "" {
		return ""
	}
	if cells := knownCells(page, row); len(cells) > 2 {
		return cells[2]
	}
	return ""
}

// settled reports whether a run has told what the page says. One may be spared a violation that a
// fault makes likely and not certain: votes that rivals split, say.
func settled(here, there, want string) bool {
	return here == there && here != "unknown" && (want == "" || here == want)
}

// inBoth runs lockbench as processes, unless that verdict is known, and in containers, until both
// say what is wanted.
func inBoth(t *testing.T, args, flags []string, known, want string) (here, there, versions string) {
	for try := range keyTries {
		with := append(ofTry(args, try), "--env")
		environment := runner.Docker
		if asProcess(flags) {
			environment = runner.Process
		}
		testenv.Run(try >= triesBeside, func() {
			if here = known; known == "" || try > 0 {
				here, _ = letters(t, append(with, runner.Process))
			}
			there, versions = letters(t, append(append(with, environment), flags...))
		})
		if there == impossible || settled(here, there, want) {
			break
		}
	}
	return here, there, versions
}

// ofTry adds the seed of a try. After triesBeside tries it doubles the lease outlasting, because
// the machine is slow.
func ofTry(args []string, try int) []string {
	args = append(args[:len(args):len(args)], "--seed", fmt.Sprint(try+1))
	if try >= triesBeside && slices.Contains(args, outlasting) {
		args = append(args, "--ttl", "6s")
	}
	return args
}

// impossible stands for the verdict of a run that was refused.
const impossible = "n/p"

// letters runs lockbench and says which properties were violated, and the image that was used.
func letters(t *testing.T, args []string) (verdict, image string) {
	t.Helper()
	store := t.TempDir()
	var out, said bytes.Buffer
	code := Main(context.Background(), append(args, "--store", store, "--json"), &out, &said)
	if code == exitUsage && strings.Contains(said.String(), "not possible in this environment") {
		return impossible, ""
	}
	verdict, h := verdictOf(t, out.Bytes(), said.String())
	if verdict == "unknown" {
		return verdict, ""
	}
	if h["image"] == "" {
		return verdict, "Redis " + h["redis"] + ", as processes"
	}
	name, _, _ := strings.Cut(h["image"], " ")
	return verdict, fmt.Sprintf("Redis %s, image %s, Docker %s", h["redis"], name, h["docker"])
}

// verdictOf reads what lockbench prints as JSON: which properties were violated, or "valid" or
// "unknown", and what the run's record names.
func verdictOf(t *testing.T, out []byte, said string) (verdict string, versions map[string]string) {
	t.Helper()
	var answer struct {
		Dir     string
		Verdict struct {
			Verdict    string
			Properties []struct {
				Property, Verdict string
				Reported          bool
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Logf("the run broke, which tells nothing: %s", said)
		return "unknown", nil
	}
	head, _ := os.ReadFile(filepath.Join(answer.Dir, "history.jsonl"))
	head, _, _ = bytes.Cut(head, []byte("\n"))
	var h struct{ Versions map[string]string }
	_ = json.Unmarshal(head, &h)
	var violated []string
	for _, p := range answer.Verdict.Properties {
		if p.Verdict == "violated" && !p.Reported {
			violated = append(violated, p.Property)
		}
	}
	switch {
	case len(violated) > 0:
		return strings.Join(violated, ", "), h.Versions
	case answer.Verdict.Verdict == "valid":
		return "valid", h.Versions
	}
	return "unknown", h.Versions
}

// keyCells are the cells of the table as they come, from several goroutines.
type keyCells struct {
	mu       sync.Mutex
	here     map[int]string    // as processes, by row
	there    map[[2]int]string // by row and column
	versions map[int]string    // what answered, by column
}

func (k *keyCells) note(row, way int, here, there, versions string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.here == nil {
		k.here, k.there, k.versions = map[int]string{}, map[[2]int]string{}, map[int]string{}
	}
	k.here[row], k.there[[2]int{row, way}] = here, there
	if versions != "" {
		k.versions[way] = versions
	}
}

// line is a row of the table. A column that was not made is taken from the known cells.
func (k *keyCells) line(row int, known []string) string {
	cells := []string{keyRows[row].class, "`lockbench " + strings.Join(keyArgs(row), " ") + "`",
		k.here[row]}
	for way := range contained {
		there, ok := k.there[[2]int{row, way}]
		if !ok && len(known) > 3+way {
			there = known[3+way]
		}
		cells = append(cells, there)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// compare demands that the table has these verdicts.
func (k *keyCells) compare(t *testing.T) {
	have, err := os.ReadFile(keyTable)
	if os.Getenv("UPDATE") != "" {
		have = k.write(have)
		err = os.WriteFile(keyTable, have, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for row := range keyRows {
		if l := k.line(row, knownCells(have, row)); !bytes.Contains(have, []byte(l+"\n")) {
			t.Errorf("%s does not say\n%s\nUPDATE=1 go test -run Containers ./cmd/lockbench writes it",
				keyTable, l)
		}
	}
}

// after is the rest of the line that begins with a text.
func after(page []byte, begin string) string {
	_, rest, _ := strings.Cut("\n"+string(page), "\n"+begin)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// knownCells are the cells of a row in the table.
func knownCells(table []byte, row int) []string {
	for l := range strings.Lines(string(table)) {
		if cells := strings.Split(strings.Trim(l, "| \n"), " | "); cells[0] == keyRows[row].class {
			return cells
		}
	}
	return nil
}

// write makes the page. What was not measured is as the page has it.
func (k *keyCells) write(have []byte) []byte {
	b := bytes.NewBufferString(`# The same verdicts in containers

One row for each class of faults, run as processes and in containers: ` + "`valid`" + `, or the ` +
		`properties
that were violated. n/p: not possible there, and refused. On a bridge the proxies are in a
container, too. ` + "`UPDATE=1 go test -run Containers ./cmd/lockbench`" + ` writes this page. Every CI run
makes the first two columns again, and fails where they differ from each other or from this page.

| fault | command, with ` + "`--env process`, or `--env docker`" +
		` and what the column says | as processes`)
	for _, c := range contained {
		b.WriteString(" | " + c.name)
	}
	b.WriteString(" |\n|---|---|---" + strings.Repeat("|---", len(contained)) + "|\n")
	for row := range keyRows {
		b.WriteString(k.line(row, knownCells(have, row)) + "\n")
	}
	b.WriteString("\n")
	for way, c := range contained {
		flags := ""
		if len(c.flags) > 0 {
			flags = " (`" + strings.Join(c.flags, " ") + "`)"
		}
		said := fmt.Sprintf("- %s%s: ", c.name, flags)
		fmt.Fprintln(b, said+cmp.Or(k.versions[way], after(have, said)))
	}
	return b.Bytes()
}
