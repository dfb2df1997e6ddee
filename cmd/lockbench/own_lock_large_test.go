package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

const ownLock = examples + "/own-lock"

// clone is the example repository as a user has it: a clone of its own, with one commit.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(ownLock)); err != nil {
		t.Fatal(err)
	}
	in(t, dir, 0, "git", "init", "--quiet", "--initial-branch", "main")
	commitAll(t, dir)
	return dir
}

func commitAll(t *testing.T, dir string) {
	t.Helper()
	in(t, dir, 0, "git", "add", "-A")
	in(t, dir, 0, "git", "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "--quiet",
		"-m", "a commit")
}

// in runs a command in a folder and demands its exit code. A verdict that is unknown because the
// machine stalled says nothing: it is asked again, twice.
func in(t *testing.T, dir string, want int, words ...string) string {
	t.Helper()
	for tries := 6; ; tries-- {
		c := exec.Command(words[0], words[1:]...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		code := c.ProcessState.ExitCode()
		if code == 2 && want != 2 && tries > 1 {
			continue
		}
		if code != want {
			t.Fatalf("%q: exit %d, want %d:\n%s", words, code, want, out)
		}
		return string(out)
	}
}

// defect is a small change of the example's locks.
type defect struct{ file, old, new string }

// defects reads testdata/own-lock-mutants.txt.
func defects(t *testing.T) (all []defect) {
	t.Helper()
	text, err := os.ReadFile("testdata/own-lock-mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) == 3 && !strings.HasPrefix(line, "#") {
			all = append(all, defect{f[0], f[1], f[2]})
		}
	}
	return all
}

func (d defect) apply(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, d.file)
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), d.old) {
		t.Fatalf("%s has no %q (%v)", name, d.old, err)
	}
	text = []byte(strings.Replace(string(text), d.old, d.new, 1))
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTheExampleRepository is run as a user would: some cells of both gates pass, others with each
// commit, a changed lock turns its gate red, and the two commits are put side by side, each built
// from its own sources.
func TestTheExampleRepository(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	testenv.Part(t, "python3")
	for _, gate := range []string{"lockbench.yaml", "python.yaml"} {
		t.Run(gate, func(t *testing.T) {
			t.Parallel()
			dir := clone(t)
			words := []string{"lockbench", "gate", gate, "--quiet"}
			for _, c := range sampled(cells(t, filepath.Join(dir, gate)), 3) {
				words = append(words, "--only", c.Line)
			}
			in(t, dir, 0, words...)
		})
	}
	t.Run("an adapter that does not build", func(t *testing.T) {
		t.Parallel()
		dir := clone(t)
		defect{"go/lock.go", "package main", "package main !"}.apply(t, dir)
		said := in(t, dir, 254, "lockbench", "gate")
		if strings.Count(said, "\n") != 1 || !strings.Contains(said, "lockbench.yaml:16:5: entry ") ||
			!strings.Contains(said, "could not be set up: `go build") {
			t.Errorf("it says:\n%s", said)
		}
	})
	t.Run("a changed lock", func(t *testing.T) {
		t.Parallel()
		changedLock(t)
	})
}

// cells returns the entries of a gate, by name.
func cells(t *testing.T, gate string) (all []advice.Command) {
	t.Helper()
	text, err := os.ReadFile(gate)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`- name: "(.*)"`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, advice.Command{Line: m[1]})
	}
	if len(all) < 5 {
		t.Fatalf("only %d entries in %s", len(all), gate)
	}
	return all
}

// changedLock is one that releases without asking who holds it. What it says is noticed in any
// three cells; that it violates more, where a release comes late.
func changedLock(t *testing.T) {
	dir, all := clone(t), defects(t)
	i := slices.IndexFunc(all, func(d defect) bool { return strings.Contains(d.new, "l.redis.Del(") })
	all[i].apply(t, dir)
	commitAll(t, dir)
	gate := []string{"lockbench", "gate", "--only", "own-lock-go under none", "--only",
		"own-lock-go under crash", "--only", "own-lock-go under late:reply"}
	said := in(t, dir, 1, gate...)
	for try := 1; try < 6 && strings.Contains(said, "\nunknown: "); try++ { // the machine stalled
		said = in(t, dir, 1, gate...)
	}
	for _, words := range []string{"The lock says something else: ", "new: DEL KEY = 1 "} {
		if !strings.Contains(said, words) {
			t.Errorf("the gate does not name the change with %q:\n%s", words, said)
		}
	}
	late := `environment: process
seeds: 1
entries:
  - {adapter: ./go, ttl: 2s, clients: 2, nemesis: "late:release", repeats: 3, expect: safe}
`
	if err := os.WriteFile(filepath.Join(dir, "late.yaml"), []byte(late), 0o644); err != nil {
		t.Fatal(err)
	}
	said = in(t, dir, 1, "env", "GATE=late.yaml", "./compare", "HEAD~1", "HEAD")
	page, err := os.ReadFile(filepath.Join(dir, "comparison.md"))
	if err != nil || len(page) == 0 {
		t.Errorf("no comparison: %v\n%s", err, said)
	}
}

// TestDefectsOfTheExampleTurnItsGateRed measures the share, with LOCKBENCH_SOAK: 95 % at least.
// Only the exit code 1 is red. `-run DefectsOfTheExample/^3` asks some of them only.
func TestDefectsOfTheExampleTurnItsGateRed(t *testing.T) {
	if !testenv.Soak() {
		t.Skip("all defects are tried with LOCKBENCH_SOAK; TestTheExampleRepository has one")
	}
	testenv.Part(t, "redis")
	testenv.Part(t, "python3")
	codes, asked := map[int]int{}, 0
	for i, d := range defects(t) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			code, said := d.ask(t)
			codes[code]++
			asked++
			t.Logf("exit code %d: %s: %s → %s", code, d.file, d.old, d.new)
			if code != 1 {
				t.Log(said)
			}
		})
	}
	t.Logf("exit codes of %d defects: %v", asked, codes)
	if codes[1]*100 < 95*asked {
		t.Errorf("%d of %d defects turn the gate red", codes[1], asked)
	}
}

// ask says how the gate ends for a lock with the defect. One cell is asked first: it is judged by
// itself, so that it is red in the whole file, too.
func (d defect) ask(t *testing.T) (code int, said string) {
	dir := clone(t)
	d.apply(t, dir)
	gate, cell := "python.yaml", "own-lock-python under none"
	if strings.HasPrefix(d.file, "go") {
		gate, cell = "lockbench.yaml", "own-lock-go under none"
	}
	for _, only := range [][]string{{"--only", cell}, nil} {
		c := exec.Command("lockbench", append([]string{"gate", gate, "--out", "out"}, only...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		if code = c.ProcessState.ExitCode(); code == 1 {
			break
		}
		said = string(out)
		os.RemoveAll(filepath.Join(dir, "out"))
	}
	return code, said
}
