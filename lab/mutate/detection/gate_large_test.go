package detection

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/lab/mutate"
)

// gateShare is the share of mutants that are not equivalent which must turn the gate of their lock
// red, in percent.
const gateShare = 95

// changed are mutants of token-lua that gates of expectations let pass: no owner check at release,
// no lease, another lease than the one that is declared, and a SET without NX.
var changed = []string{
	"release.lua : negate a comparison: ",
	`token_lua.go try: drop an argument of a command: l.send(ctx, "SET", l.Key(), g.Value, "NX", ` +
		`"PX", l.Options.TTL.Milliseconds()) → l.send(ctx, "SET", l.Key(), g.Value, "PX"`,
	`token_lua.go try: drop an argument of a command: l.send(ctx, "SET", l.Key(), g.Value, "NX", ` +
		`"PX", l.Options.TTL.Milliseconds()) → l.send(ctx, "SET", l.Key(), g.Value, "NX", l.Op`,
	"token_lua.go try: scale a number: l.Options.TTL.Milliseconds() → " +
		"l.Options.TTL.Milliseconds() / 10",
}

// gated is a lockbench with mutants in it, which asks the gates that it wrote of the locks as they
// are.
type gated struct {
	t            *testing.T
	dir, program string
}

// run prints gate.json, if there is one, and gives the exit code; -1: it did not end.
func (g gated) run(number int, args ...string) (printed []byte, code int) {
	ctx, stop := context.WithTimeout(g.t.Context(), 3*time.Minute)
	defer stop()
	out := filepath.Join(g.dir, strconv.Itoa(number))
	defer os.RemoveAll(out)
	c := exec.CommandContext(ctx, g.program, append(args, "--out", out)...)
	c.Dir = g.dir
	c.Env = append(os.Environ(), mutate.Choice+"="+strconv.Itoa(number), "GOMEMLIMIT=1GiB")
	printed, err := c.Output()
	if c.ProcessState == nil {
		g.t.Error(err)
		return nil, -1
	}
	return printed, c.ProcessState.ExitCode()
}

// heirs are locks that run the code of another, and a branch in it that the other never takes: a
// mutant that leaves the gate of the one green is asked of the other, too.
var heirs = map[string]string{"redisson": "redisson-fenced"}

// ready writes the gate of a lock, unless it is there, and demands that the lock passes it.
func (g gated) ready(lock string) {
	if _, err := os.Stat(filepath.Join(g.dir, lock+".yaml")); err == nil {
		return
	}
	for _, args := range [][]string{{"--init", "--impl", lock, "--repeat", "3"}, {}} {
		args = append([]string{"gate", lock + ".yaml", "--quiet"}, args...)
		if said, code := g.run(0, args...); code != 0 {
			g.t.Fatalf("%s: exit code %d\n%s", lock, code, said)
		}
	}
}

// answers are what a gate says of a mutant, by its exit code.
var answers = map[int]string{0: "green", 1: "red", 2: "unknown", -1: "does not end"}

// ask says how the gate of its lock ends for a mutant. One cell is asked first: it is judged by
// itself, so that it is red in the whole file, too.
func (g gated) ask(number int, lock string) string {
	var r struct {
		Entries []struct{ Name, Result string }
	}
	cell := g.firstCell(lock)
	out, code := g.run(number, "gate", lock+".yaml", "--json", "--only", cell)
	if json.Unmarshal(out, &r) == nil && len(r.Entries) > 0 && r.Entries[0].Name == cell &&
		r.Entries[0].Result == "failed" {
		return answers[1]
	} else if code >= 0 {
		_, code = g.run(number, "gate", lock+".yaml", "--quiet")
	}
	return cmp.Or(answers[code], fmt.Sprint("exit code ", code))
}

func (g gated) firstCell(lock string) string {
	text, err := os.ReadFile(filepath.Join(g.dir, lock+".yaml"))
	if err != nil {
		g.t.Error(err)
	}
	_, rest, _ := strings.Cut(string(text), `- name: "`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// TestMutantsTurnTheirGateRed writes the snapshot of each lock, and asks it of the lock's mutants:
// of all with LOCKBENCH_SOAK, else of those that are named above. The lock as it is passes.
func TestMutantsTurnTheirGateRed(t *testing.T) {
	t.Parallel()
	testenv.SkipRace(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	mutants := gateMutants(t)
	g := gated{t, t.TempDir(), filepath.Join(t.TempDir(), "lockbench")}
	folder := filepath.Join(root, "impls")
	if err := mutate.Build(folder, os.DirFS(folder), mutants, root, "./cmd/lockbench",
		g.program); err != nil {
		t.Fatal(err)
	}
	var locks []string
	for _, m := range mutants {
		if !slices.Contains(locks, m.Lock) && !equivalent(m) {
			locks = append(locks, m.Lock)
		}
	}
	said := map[string]int{}
	for _, lock := range locks {
		t.Run(lock, func(t *testing.T) {
			g.t = t
			g.askAll(lock, mutants, said)
		})
	}
	all := 0
	for _, n := range said {
		all += n
	}
	if said["red"]*100 < gateShare*all {
		t.Errorf("%d of %d mutants turn their gate red, not %d %%", said["red"], all, gateShare)
	}
}

// askAll asks the gate of one lock of its mutants, and counts the answers.
func (g gated) askAll(lock string, mutants []mutate.Mutant, said map[string]int) {
	g.ready(lock)
	if heirs[lock] != "" {
		g.ready(heirs[lock])
	}
	var mu sync.Mutex
	own := map[string]int{}
	err := each(runtime.NumCPU(), len(mutants), func(i int) error {
		m := mutants[i]
		if m.Lock != lock || equivalent(m) {
			return nil
		}
		answer := g.ask(i+1, lock)
		if answer == answers[0] && heirs[lock] != "" {
			answer = g.ask(i+1, heirs[lock])
		}
		mu.Lock()
		defer mu.Unlock()
		said[answer]++
		own[answer]++
		g.t.Logf("%s: %s", answer, m.Key())
		return nil
	})
	if err != nil || len(own) == 0 {
		g.t.Errorf("no mutant was asked: %v", err)
	}
	g.t.Logf("%s: %v", lock, own)
}

// gateMutants are those that are asked.
func gateMutants(t *testing.T) []mutate.Mutant {
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		chosen, err := Mutants(root)
		if err != nil {
			t.Fatal(err)
		}
		return chosen
	}
	folder := filepath.Join(root, "impls")
	all, err := mutate.Derive(folder, os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(m mutate.Mutant) bool {
		return !slices.ContainsFunc(changed, func(s string) bool {
			return strings.HasPrefix(m.Key(), s)
		})
	})
}

func equivalent(m mutate.Mutant) bool {
	for _, r := range Reasons() {
		if r.Class == Equivalent && slices.Contains(r.Mutants, m.Key()) {
			return true
		}
	}
	return false
}
