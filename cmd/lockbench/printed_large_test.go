package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/spf13/cobra"
)

// sampled returns n of some commands, others with each commit, or all of them in the soak.
func sampled(all []advice.Command, n int) []advice.Command {
	if testenv.Soak() || len(all) <= n {
		return all
	}
	rank := func(c advice.Command) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, testenv.Commit(), c.Line)
		return h.Sum64()
	}
	slices.SortFunc(all, func(a, b advice.Command) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
	return all[:n]
}

// runIn runs lockbench in a directory. It is a process of its own, because tests that change their
// directory cannot run in parallel.
func runIn(t *testing.T, dir string, words ...string) (code int, out, say string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), "lockbench", words...)
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// keeps fails if a command, run in a directory, does not end and print as its promise says.
func keeps(t *testing.T, dir string, c advice.Command, words ...string) {
	t.Helper()
	if len(promised(c)) > 0 {
		words = append(words, "--verbose") // which has a row for each letter
	}
	code, out, say := runIn(t, dir, words...)
	for try := 1; try < 4 && outlived(out); try++ {
		code, out, say = runIn(t, dir, words...)
	}
	text := out + say
	if len(c.Exits) > 0 && !slices.Contains(c.Exits, code) ||
		len(c.Exits) == 0 && code >= 254 {
		t.Errorf("%s ended with %d, not %v:\n%s", c.Line, code, c.Exits, text)
	}
	for _, w := range c.Says {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), w) { // lines are wrapped
			t.Errorf("%s does not say %q:\n%s", c.Line, w, text)
		}
	}
	for letter, want := range promised(c) {
		row := regexp.MustCompile(`(?m)^  (\S) ` + letter + ` `).FindStringSubmatch(out)
		if row == nil || (row[1] == "✕") != want {
			t.Errorf("%s: %s is not as promised:\n%s", c.Line, letter, text)
		}
	}
}

// outlived reports whether a client stayed inside longer than its session of a lock service lived.
// A machine that is too slow for the lease does that to any lock, so such a run is repeated.
func outlived(text string) bool {
	text = strings.Join(strings.Fields(text), " ") // lines are wrapped
	return strings.Contains(text, "'s session had ended when client ") ||
		strings.Contains(text, "The lock told the first client that its hold was over, and the client")
}

// promised are the letters of a command, and whether it violates them.
func promised(c advice.Command) map[string]bool {
	out := map[string]bool{}
	for _, l := range c.Violated {
		out[l] = true
	}
	for _, l := range c.Kept {
		out[l] = false
	}
	return out
}

// elsewhere are the forms whose commands other tests run, since they need an hour, a terminal or a
// library that is set up.
var elsewhere = map[string]string{
	"lockbench doctor":                         "testdata/script/doctor.txtar",
	"lockbench gate --init --adapter ./mylock": "testdata/script/adapters.txtar",
	"lockbench explore --adapter":              "TestAnAdapterIsExplored",
	"lockbench run --adapter %s --nemesis %s":  "TestFindings",
	"lockbench matrix --adapters":              "testdata/script/adapters.txtar",
	"lockbench gate %s --resume":               "TestAnInterruptedGateGoesOn",
	"lockbench tour --from":                    "testdata/pure/tour.txtar",
	"lockbench replay --env process":           "testdata/script/replay.txtar",
	"lockbench matrix --impl %s --nemesis %s":  "testdata/script/matrix.txtar",
}

// TestEachFormOfACommandRuns runs each command with fixed words that lockbench prints, in a folder
// with all that such a command names.
func TestEachFormOfACommandRuns(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	dir := t.TempDir()
	at := places(t, dir)
	for _, f := range advice.Forms() {
		if slices.ContainsFunc(keysOf(elsewhere), func(k string) bool {
			return strings.HasPrefix(f.String(), k)
		}) {
			continue
		}
		words := f.Example()
		for i, w := range words {
			if strings.HasPrefix(w, "{") {
				words[i] = at[w]
			}
			if words[i] == "" {
				t.Fatalf("%s: nothing is made for %s", f, w)
			}
		}
		if words[0] == "run" && !slices.Contains(words, "--plan") {
			words = append(words, "--env", "sim")
		}
		keeps(t, dir, advice.Command{Line: "lockbench " + strings.Join(words, " "),
			Promise: f.Promise}, words...)
	}
}

func keysOf(m map[string]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

// places makes in a directory what the examples of forms name.
func places(t *testing.T, dir string) map[string]string {
	t.Helper()
	in(t, dir, 0, "lockbench", "run", "--env", "sim", "--impl", "token-lua", "--store", "runs")
	in(t, dir, 0, "lockbench", "gate", "--init", "g.yaml")
	in(t, dir, 0, "lockbench", "matrix", "--env", "sim", "--impl", "token-lua", "--nemesis", "crash",
		"--costs=false", "--store", "m")
	in(t, dir, 1, "lockbench", "explore", "--impl", "setpx-del", "--nemesis", "pause",
		"--curve=false", "--store", "x")
	run, err := os.Readlink(filepath.Join(dir, "runs", "latest"))
	if err != nil {
		t.Fatal(err)
	}
	run = filepath.Join("runs", run)
	found, err := fs.Glob(os.DirFS(dir), "x/counterexamples/*.yaml")
	if err != nil || len(found) == 0 {
		t.Fatal("no counterexample was written", err)
	}
	return map[string]string{"{run}": run, "{plan}": filepath.Join(run, "plan.json"),
		"{gate}": "g.yaml", "{new}": "new.yaml",
		"{entry}":  "a token lock survives the crash of its holder",
		"{matrix}": "m/latest", "{counterexample}": found[0]}
}

// proven returns the command of a proof with its promise for a lock that remains: no recorded run
// violated what counts. If a holder is paused, its successor is inside with it, but that does no
// harm if the resource refuses old tokens.
func proven(p choose.Proof) advice.Command {
	c := advice.Command{Line: p.Command}
	if p.Runs == 0 || len(p.Rates) > 0 {
		return c
	}
	c.Exits = []int{checker.ExitExpected}
	if strings.Contains(p.Command, " --workload fenced ") && p.Fault == "pause" {
		c.Says = []string{"it did no harm", "the resource refused"}
	}
	return c
}

// TestProofsOfChooseHold runs proofs of choose on real servers: nothing that counts is violated,
// and a lock with fencing refuses the late holder. It takes those of lockbench's own locks that
// were measured in many runs, and those of the best lock, which the answer prints.
func TestProofsOfChooseHold(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	t.Parallel()
	var own, printed []advice.Command
	for _, q := range []choose.Query{{Faults: []string{"partition"}}, {Faults: []string{"longwork"}},
		{Faults: []string{"pause", "partition"}, Fencing: true}, {Faults: []string{"leader-loss"}}} {
		choices, err := choose.Choose(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range choices {
			if c.Remains && c.Library == "" {
				for _, p := range c.Proofs {
					own = append(own, proven(p))
				}
			}
		}
		for _, p := range choose.Best(choices)[0].Shown() {
			if runsHere(t, strings.Fields(p.Command)[2:]) {
				printed = append(printed, proven(p))
			}
		}
	}
	if len(own) < 20 {
		t.Errorf("only %d proofs", len(own))
	}
	for _, c := range append(sampled(own, 3), sampled(printed, 2)...) {
		keeps(t, t.TempDir(), c, strings.Fields(c.Line)[1:]...)
	}
}

// TestHintsOfRunsHold runs the commands that the hints and reports of runs of all locks and faults
// name: the one with all other locks, and it says as many.
func TestHintsOfRunsHold(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	var all []advice.Command
	for _, lock := range []string{"setnx", "getset", "setpx-del", "token-lua", "redlock"} {
		for _, fault := range []string{"crash", "pause", "failover", "partition", "restart"} {
			p, err := harness.NewPlan(harness.RunOptions{Impl: lock, Nemesis: fault})
			if err != nil {
				continue
			}
			if k, err := choose.Lookup(p); err == nil && k != nil {
				all = append(all, k.Choose())
			}
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d hints", len(all))
	}
	for _, c := range sampled(all, 4) {
		keeps(t, t.TempDir(), c, strings.Fields(c.Line)[1:]...)
	}
}

// TestARepairAndWhatDefeatsItHold runs the commands that the advice on a failover by Sentinel
// prints: waiting for a replica keeps its promise, and the fault that defeats it still does.
func TestARepairAndWhatDefeatsItHold(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	t.Parallel()
	x := repair.Find(repair.Violation{Lock: "token-lua", Flags: "--impl token-lua",
		Fault: "failover-sentinel", Property: checker.MutualExclusion, Class: checker.LostByServer,
		Lease: true})
	if x == nil {
		t.Fatal("no repair")
	}
	printed := regexp.MustCompile(`\((lockbench [^)]+)\)`).FindAllStringSubmatch(x.Limit, -1)
	if len(printed) != 2 {
		t.Fatalf("%d commands in %q", len(printed), x.Limit)
	}
	lost := []string{checker.MutualExclusion, checker.LeaseExclusion}
	for _, c := range []advice.Command{x.Command,
		{Line: printed[0][1], Promise: advice.Promise{Exits: []int{checker.ExitUnexpected},
			Violated: lost}},
		{Line: printed[1][1], Promise: advice.Promise{Exits: []int{checker.ExitExpected}}}} {
		keeps(t, t.TempDir(), c, strings.Fields(c.Line)[1:]...)
	}
}

// TestAgainRepeatsTheRun runs the line after "Again:" of simulated runs, one per kind of flag:
// the exit code and all words but the story, times of the judge and paths are the same.
func TestAgainRepeatsTheRun(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	dir := t.TempDir()
	in(t, dir, 0, "lockbench", "run", "--env", "sim", "--impl", "token-lua", "--quiet")
	first, err := os.Readlink(filepath.Join(dir, "store", "latest"))
	if err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join("store", first, "plan.json")
	var all []advice.Command
	for _, flags := range []string{
		"--impl token-lua", "--impl getset --nemesis failover --expect S", "--story p1p2p3",
		"--impl setnx-del-expired --variant nil-retry --nemesis crash:takeover",
		"--impl redisson --watchdog=false --nemesis pause", "--plan " + plan,
		"--impl token-lua --workload counter --thorough",
		"--impl token-lua --nemesis pause,crash --for 3s --clients 3 --keys 2",
		"--impl setpx-del --nemesis pause --properties S,O --ttl 500ms",
		"--impl redlock --nemesis clock-server --masters 3",
	} {
		all = append(all, advice.Command{Line: "run " + flags})
	}
	for _, c := range sampled(all, 4) {
		words := strings.Fields(c.Line)
		if !strings.Contains(c.Line, "--plan") {
			words = append(words, "--env", "sim")
		}
		code, said, line := again(t, dir, words)
		parts, err := exec.Command("sh", "-c", "printf '%s\\n' "+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		repeated, same, _ := again(t, dir, strings.Split(strings.TrimSpace(string(parts)), "\n")[1:])
		if code != repeated || said != same {
			t.Errorf("%s: %s ended with %d, not %d:\n%s\nnot\n%s", c, line, repeated, code, same,
				said)
		}
	}
}

// varies are lines of a run that differ when it is repeated.
var varies = regexp.MustCompile(`(?m)^(Judge:|Report: ).*\n|\nStory: (.*\n)+?\n`)

// again runs a command, and returns the line that does it again.
func again(t *testing.T, dir string, words []string) (code int, said, line string) {
	t.Helper()
	code, out, say := runIn(t, dir, words...)
	text := regexp.MustCompile(` \\\n +`).ReplaceAllString(out, " ") // a command of two lines
	found := regexp.MustCompile(`(?m)^Again:  (.*)$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("%v does not say how to do it again:\n%s%s", words, out, say)
	}
	return code, varies.ReplaceAllString(out, ""), found[1]
}

// TestSuggestedAimsFind runs the aims that hints suggest after a run that found nothing: one that
// was measured to fail always fails.
func TestSuggestedAimsFind(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	t.Parallel()
	var all []advice.Command
	seen := map[string]bool{}
	for _, lock := range []string{"setnx", "getset", "setpx-del", "token-lua", "setnx-del-expired"} {
		for _, fault := range []string{"crash", "pause", "failover", "partition", "restart"} {
			p, err := harness.NewPlan(harness.RunOptions{Impl: lock, Nemesis: fault})
			if err != nil {
				continue
			}
			hints, err := hint.For(&checker.Verdict{Verdict: checker.Valid}, p, "", "")
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hints {
				if h.Command.Line != "" && !seen[h.Command.Line] {
					seen[h.Command.Line] = true
					all = append(all, h.Command)
				}
			}
		}
	}
	if len(all) < 5 {
		t.Errorf("only %d aims are suggested", len(all))
	}
	for _, c := range sampled(all, 2) {
		keeps(t, t.TempDir(), c, strings.Fields(c.Line)[1:]...)
	}
}

// TestTheVerbsOfExamplesAreThere parses each example of each verb: it names flags and verbs that
// there are.
func TestTheVerbsOfExamplesAreThere(t *testing.T) {
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, line := range commandsOf(c.Example) {
			n++
			parses(t, c.CommandPath(), line)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand())
	if n < 40 {
		t.Errorf("only %d examples", n)
	}
}

// commandsOf are the commands of lockbench in a text of shell lines, without comments.
func commandsOf(text string) (out []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "  #")
		line, _, _ = strings.Cut(line, " > ")
		for _, part := range strings.Split(line, " | ") {
			part = strings.TrimPrefix(strings.TrimSpace(part), "$ ")
			for _, p := range []string{"lockbench ", "bin/lockbench ", "go run ./cmd/lockbench "} {
				if words, ok := strings.CutPrefix(part, p); ok {
					out = append(out, words)
				}
			}
		}
	}
	return out
}

// parses reports a command whose verb or flags there are not.
func parses(t *testing.T, place, line string) {
	t.Helper()
	words := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(line))
	if words[0] == "completion" { // cobra adds it as it runs
		return
	}
	c, rest, err := rootCommand().Find(words)
	if err == nil && c.Parent() == nil && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		err = fmt.Errorf("there is no verb %q", rest[0])
	}
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err != nil && !strings.Contains(err.Error(), "help requested") {
		t.Errorf("%s: lockbench %s: %v", place, line, err)
	}
}

// onPages calls f with each command in the fenced blocks of README and docs.
func onPages(t *testing.T, f func(page, line string)) {
	pages, _ := filepath.Glob("../../docs/*.md")
	pages = append(pages, "../../README.md", "../../DEVELOPMENT.md", "../../SECURITY.md")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 1 {
				for _, line := range commandsOf(block) {
					f(page, line)
				}
			}
		}
	}
}

// TestTheCommandsOfPagesAreThere parses each command in the fenced blocks of README and docs.
func TestTheCommandsOfPagesAreThere(t *testing.T) {
	n := 0
	onPages(t, func(page, line string) {
		n++
		parses(t, page, line)
	})
	if n < 100 {
		t.Errorf("only %d commands", n)
	}
}

// special is in commands of pages that need what this test does not make: a file, a folder, a
// library, Docker, another machine, or the whole matrix. Scripts run their like.
var special = regexp.MustCompile(`--adapter|--plan|--addr|--proxy|docker|NAME|FILE|DIR|store/|\./|` +
	`--server|` +
	`topology|--masters|\[|<|\$|…|\.\.\.|--soak|random|redispy-watch|nemesis [a-z:]+,`)

// TestCommandsOfPagesRun runs commands of README and docs in a folder of their own, other ones with
// each commit. None is refused, and none breaks.
func TestCommandsOfPagesRun(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	t.Parallel()
	var all []advice.Command
	seen := map[string]bool{}
	onPages(t, func(page, line string) {
		verb := strings.Fields(line)[0]
		plain := verb == "run" || verb == "choose" || verb == "list"
		if !seen[line] && plain && !special.MatchString(line) {
			all = append(all, advice.Command{Line: "lockbench " + line})
			seen[line] = true
		}
	})
	if len(all) < 10 {
		t.Errorf("only %d commands", len(all))
	}
	for _, c := range sampled(all, 3) {
		keeps(t, t.TempDir(), c, strings.Fields(c.Line)[1:]...)
	}
}

// TestProofsOfWhichLockHold runs the proofs of docs/which-lock.md. Each says the words after the
// number in its comment, and ends with 0.
func TestProofsOfWhichLockHold(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	text, err := os.ReadFile("../../docs/which-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	block := strings.Split(string(text), "```")[1]
	proofs := regexp.MustCompile(`(?m)^lockbench (.*\S) +# \d (.*)$`).FindAllStringSubmatch(
		strings.ReplaceAll(block, "\\\n", " "), -1)
	if lines := strings.Count(block, "lockbench "); len(proofs) != lines || lines < 6 {
		t.Fatalf("%d proofs in %d lines", len(proofs), lines)
	}
	for _, p := range proofs {
		words := strings.Fields(p[1])
		if !runsHere(t, words[1:]) {
			t.Logf("%s cannot run here", p[1])
			continue
		}
		keeps(t, t.TempDir(), advice.Command{Line: p[1], Promise: advice.Promise{Exits: []int{0},
			Says: []string{p[2]}}}, words...)
	}
}
