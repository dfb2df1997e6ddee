package locktest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// program is the tests of the module in testdata, which imports locktest as a stranger's does.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mylock.test")
	build := exec.Command("go", "test", "-c", "-mod=readonly", "-o", file, ".")
	build.Dir = filepath.Join("testdata", "example")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// play runs one test of a program in a folder, and returns what it printed and whether it passed.
func play(t *testing.T, program, dir, test string, env ...string) (string, bool) {
	t.Helper()
	c := exec.Command(program, "-test.v", "-test.short", "-test.run", "^"+test+"$")
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

// TestLocksOfAnotherModule searches for defects of a lock in a module of its own, and of libraries.
// What must be found there is in the first few runs; a lock without a defect passes.
func TestLocksOfAnotherModule(t *testing.T) {
	testenv.SkipRace(t) // the program is built without it
	p := program(t)
	for _, c := range []struct{ test, finds string }{
		{"TestMyLock", ""},
		{"TestBlind", "under pause violates L: released by a non-owner"},
		{"TestAlways", "under none violates L: double grant"},
		{"TestShorter", "under none violates V: promised too long"},
		{"TestSeconds", "under none violates V: promised too long"},
		{"TestUnasked", "under none violates V: granted by no server"},
		{"TestHides", "under none violates R"},
		{"TestForgets", "under none violates R: refused to release its own"},
		{"TestRedislock", ""},
		{"TestRedsync", ""},
		{"TestRedislockFailover", "under failover violates L: lost by a server"},
		{"TestRedsyncClockServer", "under clock-server violates L: clock"},
	} {
		t.Run(c.test, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out, passed := play(t, p, dir, c.test)
			if c.finds == "" {
				if !passed || !strings.Contains(out, "with 95 % confidence rarer than") {
					t.Errorf("it does not pass:\n%s", out)
				}
				return
			}
			if passed || !strings.Contains(out, c.test+" "+c.finds) {
				t.Fatalf("not found: %s\n%s", c.finds, out)
			}
			if n := strings.Count(out, "L: double grant\n"); n > 1 {
				t.Errorf("one cause is told %d times", n)
			}
			replayCommand(t, p, dir, c.test, out)
		})
	}
}

// replayCommand does the first counterexample again that a test has told of, with the command that
// it says.
func replayCommand(t *testing.T, program, dir, test, out string) {
	t.Helper()
	said := regexp.MustCompile(`Again: +(LOCKTEST_REPLAY=\S+) go test -run '\^` + test + `\$' \.`)
	m := said.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("it does not say how to do it again:\n%s", out)
	}
	out, passed := play(t, program, dir, test, m[1])
	if passed || !strings.Contains(out, "is violated again") {
		t.Errorf("%s: done again it is not violated:\n%s", m[1], out)
	}
}

// TestREADMEShowsTheExample compares the test in README.md with the one that is run here.
func TestREADMEShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("testdata/example/mylock_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(example), "func TestMyLock")
	body = "func TestMyLock" + body
	if !strings.Contains(string(readme), body) {
		t.Errorf("README.md does not have:\n%s", body)
	}
	if n := strings.Count(body, "\n"); n > 15 {
		t.Errorf("the example has %d lines; it is to have 15 at most", n)
	}
}
