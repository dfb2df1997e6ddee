//go:build linux

package runner_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
)

// hookedTries is how often a run that could not be carried out is made again.
const hookedTries = 4

// hookedPairs is after how many pairs of runs two ways differ that always and never found a letter.
// If both find it with the same chance p, that happens with p^n (1-p)^n twice, at most 2 / 4^13 or
// 3 in 100 million for a letter. A commit's sample has some 24.
const hookedPairs = 13

// TestHooksAndTapGiveTheSame runs each lock under each fault twice on real Redis: as lockbench
// does, with hooks in its Redis client, and as a released library, with nothing but a tap before
// it. Both must find the same, and the tap must have seen what hooks in that process saw.
func TestHooksAndTapGiveTheSame(t *testing.T) {
	testenv.Part(t, "redis")
	for _, task := range hookedTasks(t) {
		t.Run(task.Row.Name+" "+task.Aim.Nemesis, func(t *testing.T) {
			t.Parallel()
			tapped := newTapped(t, task)
			var byHooks, byTap []string
			// a letter that needs luck, or that a stall hid, is looked for again; so is all where a client
			// could not even be started in time
			for failed := 0; len(byTap) < hookedPairs && failed < hookedTries; {
				hooks, own, err := foundIn(t, tapped.options)
				if err == nil {
					byHooks = append(byHooks, hooks)
					err = tapped.adapted(t, own, &byTap)
				}
				if err != nil {
					t.Log(err)
					failed++
				}
				if len(byTap) > 0 && apart(byHooks, byTap, untold(t, task)) == "" {
					return
				}
			}
			if len(byTap) < hookedPairs {
				t.Fatalf("%d of %d runs could not be carried out", hookedTries, hookedTries+len(byTap))
			}
			t.Errorf("by hooks %q, by the tap %q: %q is found always by one, never by the other", byHooks,
				byTap, apart(byHooks, byTap, untold(t, task)))
		})
	}
}

// apart are the letters that each run of one kind found, and no run of the other.
func apart(hooks, tap []string, untold string) (letters string) {
	for _, p := range history.Properties() {
		always := func(found []string, want bool) bool {
			return !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, p) != want })
		}
		if !strings.Contains(untold, p) &&
			(always(hooks, true) && always(tap, false) || always(hooks, false) && always(tap, true)) {
			letters += p
		}
	}
	return letters
}

// brief is a lease that may be over before the reply to its own command is read.
const brief = 100 * time.Millisecond

// untold are the letters that cannot be compared.
func untold(t *testing.T, task matrix.Task) string {
	t.Helper()
	lock, err := task.Row.Lock()
	switch {
	case err != nil:
		t.Fatal(err)
	case lock.Fixed && lock.TTL < brief: // what is found is luck, in any run
		return strings.Join(history.Properties(), "")
	case task.Aim.Nemesis == "late:again" && len(lock.Scripts) > 0:
		// The reply to the late release is never read. That it alone can have deleted the key is known
		// where all scripts are declared; to a tap, the script that acquires could delete, too.
		return "O"
	}
	return ""
}

// hookedTasks are the runs of the matrix: a sample, or with LOCKBENCH_SOAK all.
func hookedTasks(t *testing.T) (wanted []matrix.Task) {
	t.Helper()
	all, err := matrix.Options{Environment: runner.Process}.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, lock := range []string{"setnx", "token-lua", "redisson-spin"} { // no column has these
		e, _, err := nemesis.Find("message")
		rows, missing := matrix.FindRows([]string{lock})
		if err != nil || missing != nil {
			t.Fatal(err, missing)
		}
		for _, v := range e.Variants {
			all = append(all, matrix.Task{Row: rows[0], Seed: 1,
				Aim: matrix.Aim{Nemesis: "message:" + v.Name}})
		}
	}
	for _, task := range all {
		// the clocks of lockbench's own clients are moved in their code, those of libraries by a shim
		// that a program in Go does not look at; a lock that asks no Redis has nothing to tap
		if task.Column != "clock-client" && task.Row.Impl != "none" && task.Row.Impl != "local" {
			wanted = append(wanted, task)
		}
	}
	if only := os.Getenv("LOCKBENCH_HOOKED"); only != "" {
		return slices.DeleteFunc(wanted, func(k matrix.Task) bool {
			return !strings.Contains(k.Row.Name+" "+k.Aim.Nemesis, only)
		})
	}
	return sampled(wanted, testenv.Large(8, 2)) // without LOCKBENCH_SOAK: others with each commit
}

// sampled are n of the tasks, others with each commit, or with LOCKBENCH_SOAK all.
func sampled(tasks []matrix.Task, n int) []matrix.Task {
	if testenv.Soak() {
		return tasks
	}
	commit := testenv.Commit()
	order := func(k matrix.Task) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, commit, k.Row.Name, k.Aim.Nemesis)
		return h.Sum64()
	}
	slices.SortFunc(tasks, func(a, b matrix.Task) int { return cmp.Compare(order(a), order(b)) })
	return tasks[:min(n, len(tasks))]
}

// How many cells of released libraries are run without LOCKBENCH_SOAK: of Redis, and of the systems
// beside those in keyCells.
const (
	librarySample = 4
	systemSample  = 3
)

// TestSomeCellsOfLibraries runs released libraries under faults of the matrix: what they do is not
// wanted here (lab/results/libraries.md), but that each run is carried out and judged.
func TestSomeCellsOfLibraries(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	o := matrix.Options{Environment: runner.Process, TTL: 2 * time.Second,
		Adapters: []string{matrix.All}}
	missing, err := o.MissingAdapters()
	if o.Missing = missing; err != nil {
		t.Fatal(err)
	}
	err = o.Lacking(func(w harness.RunOptions) error { return runner.Try(t.Context(), w) })
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	here := map[string]bool{}
	for _, system := range nemesis.Systems() {
		if here[system], err = testenv.Have(system); err != nil {
			t.Fatal(err)
		}
	}
	var ofRedis, ofSystems []matrix.Task
	for _, k := range tasks {
		a, err := adapters.Find(k.Row.Adapter)
		if err != nil {
			t.Fatal(err)
		}
		u, err := a.Use(k.Row.Variant)
		switch {
		case err != nil:
			t.Fatal(err)
		case slices.Contains(k.Row.Traits, "own-lease"): // of a minute, which a run outlasts
		case !here[u.System]:
		case !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()):
		case u.System == nemesis.Redis:
			ofRedis = append(ofRedis, k)
		default:
			ofSystems = append(ofSystems, k)
		}
	}
	some := append(sampled(ofRedis, librarySample), sampled(ofSystems, systemSample)...)
	for _, task := range some {
		t.Run(task.Row.Name+" "+task.Aim.Nemesis, func(t *testing.T) {
			t.Parallel()
			for try := 1; ; try++ {
				found, dir, err := foundIn(t, o.RunOptions(task.Row, task.Aim, task.Seed))
				if err == nil {
					t.Logf("%q in %s", found, dir)
					return
				}
				if try == hookedTries {
					t.Fatal(err)
				}
			}
		})
	}
}

// tapped is one run in both ways.
type tapped struct {
	options harness.RunOptions
	adapter string // the folder of the lock as an adapter
	hooked  string // where its hooks write
}

func newTapped(t *testing.T, task matrix.Task) tapped {
	t.Helper()
	x := tapped{hooked: t.TempDir(), adapter: filepath.Join(t.TempDir(), "ported"),
		options: matrix.Options{Environment: runner.Process}.RunOptions(task.Row, task.Aim, task.Seed)}
	lock, err := task.Row.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if lock.Fixed {
		x.options.TTL = lock.TTL
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Mkdir(x.adapter, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest := fmt.Sprintf("name: ported\nrun: [%q]\nenv: {%s: %q, %s: %q, %s: %q}\ntopology: %s\n"+
		"clock: none\ndeclares: {lease: %t, validity: %t, loss: %t, fencing: %t, reentrant: %t, "+
		"watchdog: %t, multi: %t}\ndefaults: {poll: %v}\n", self, portedLock, task.Row.Name, portedHooked,
		x.hooked, portedNodes, x.options.NodeTimeout.String(), lock.Topology, lock.Lease, lock.Validity,
		lock.Loss, lock.Fencing, lock.Reentrant, task.Row.Has(matrix.Watchdog), lock.Multi,
		lock.Defaults(x.options.TTL).Poll)
	if err := os.WriteFile(filepath.Join(x.adapter, adapters.ManifestName), []byte(manifest),
		0o644); err != nil {
		t.Fatal(err)
	}
	return x
}

// adapted runs the lock as a library that is told what lockbench's own lock had in a run, and notes
// what is found.
func (x tapped) adapted(t *testing.T, own string, found *[]string) error {
	t.Helper()
	f, err := os.Open(filepath.Join(own, store.Plan))
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := harness.ReadPlan(f)
	if err != nil {
		return err
	}
	o := x.options
	o.Adapter, o.Impl, o.Variant, o.NoWatchdog = x.adapter, "", "", false
	o.NodeTimeout = 0                     // it has it from its manifest
	o.ClientTimeout = p.ClientTimeout.D() // of a library's own the fault does not change it
	letters, dir, err := foundIn(t, o)
	if err == nil {
		*found = append(*found, letters)
		sameCommands(t, x.hooked, dir)
	}
	return err
}

// foundIn are the properties that a run violated.
func foundIn(t *testing.T, o harness.RunOptions) (found, dir string, err error) {
	t.Helper()
	p, _, err := runner.Prepare(t.Context(), o)
	if errors.As(err, new(nemesis.ImpossibleError)) || errors.As(err, new(harness.MomentError)) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "run")
	r, err := runner.Run(t.Context(), p, runner.Options{Dir: dir})
	if err != nil {
		return "", "", err
	}
	for _, q := range r.Verdict.Properties {
		if q.Verdict == checker.Violated {
			found += q.Property
		}
	}
	return found, dir, nil
}

// sameCommands wants in the trace of a tap what the hooks of each client saw: every command that
// reached the tap left the client, and every reply that the client read was passed by the tap. The
// tap may know more: a reply that came when the client had given up, or was dead.
func sameCommands(t *testing.T, hooked, dir string) {
	t.Helper()
	r, err := store.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	twins := strings.Count(string(r.Plan), `"`+nemesis.Duplicate+`"`) // that the tap made
	byClient := map[int][]string{}
	for _, c := range r.Trace {
		byClient[c.Process] = append(byClient[c.Process], seen(c.Args, c.Reply, c.Err))
	}
	for client := range r.History.Header.Clients {
		left, read := hookedBy(t, filepath.Join(hooked, fmt.Sprintf("c%d", client)))
		for _, line := range byClient[client] {
			args, _, _ := strings.Cut(line, " → ")
			if left[args]--; left[args] < -twins {
				t.Errorf("%s: client %d has not sent what the tap saw: %s", dir, client, line)
			}
			if read[line] > 0 {
				read[line]--
			}
		}
		for line, n := range read {
			if n > 0 {
				t.Errorf("%s: client %d has read what the tap did not pass: %s", dir, client, line)
			}
		}
	}
}

func seen(args []string, reply, err string) string {
	if err != "" {
		return fmt.Sprintf("%q → nothing", args)
	}
	return fmt.Sprintf("%q → %q", args, reply)
}

// hookedBy is how often the hooks of a client saw a command leave, and a reply to it arrive.
func hookedBy(t *testing.T, file string) (left, read map[string]int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	left, read = map[string]int{}, map[string]int{}
	for lines := json.NewDecoder(f); ; {
		var l hookedLine
		if lines.Decode(&l) != nil { // the last line of a client that was killed may not be whole
			return left, read
		}
		args, _, _ := strings.Cut(seen(l.Args, "", ""), " → ")
		switch {
		case !l.Ended && !tap.Untraced(l.Args):
			left[args]++
		case l.Ended && l.Err == "" && !tap.Untraced(l.Args):
			read[seen(l.Args, l.Reply, "")]++
		}
	}
}
