package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestAnAdapterIsExplored: a library's lock is searched in the simulator, the same seeds are the
// same runs, and what is found is done again.
func TestAnAdapterIsExplored(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	knows(t, filepath.Join(ownLock, "go", "*"), "../../internal/foreign/linked/bridge/*.go",
		"../../go.*")
	for _, c := range []struct{ adapter, nemesis, finds string }{
		{"bsm-redislock", "restart", "under restart violates L: lost by a server"},
		{"bsm-redislock", "pause", ""},
		{"redsync", "clock-server", "under clock-server violates L: clock"},
		{"redsync", "message", ""},
		{ownLock + "/go", "pause", ""},
	} {
		t.Run(filepath.Base(filepath.Dir(c.adapter))+c.adapter+" "+c.nemesis, func(t *testing.T) {
			a := installed(t, c.adapter)
			file := filepath.Join(t.TempDir(), "found.yaml")
			search := []string{"lockbench", "explore", "--adapter", a, "--nemesis", c.nemesis,
				"--properties", "L", "--seeds", "20", "--for", "1h", "--curve=false", "--out", file}
			if c.finds == "" {
				first, second := in(t, ".", 0, search...), in(t, ".", 0, search...)
				if states(t, first) != states(t, second) {
					t.Errorf("two searches by the same seeds differ:\n%s%s", first, second)
				}
				return
			}
			if said := in(t, ".", 1, search...); !strings.Contains(said, c.finds) {
				t.Errorf("it does not find %q:\n%s", c.finds, said)
			}
			in(t, ".", 0, "lockbench", "replay", "--store", t.TempDir(), file)
			said := in(t, ".", 0, "lockbench", "replay", "--env", "process", "--store",
				t.TempDir(), file)
			if !strings.Contains(said, "confirmed on Redis") {
				t.Errorf("it says:\n%s", said)
			}
		})
	}
}

// knows opens files that only the commands of a test read: go remembers a result with the files
// that the test itself has opened. The folders of adapters are in the test's binary.
func knows(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file, %v", pattern, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// installed returns a name that --adapter takes. What is not set up here is left out, unless that
// is demanded.
func installed(t *testing.T, name string) string {
	t.Helper()
	if strings.Contains(name, "/") {
		name = "./" + name
	}
	a, err := adapters.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
		t.Skipf("not set up here: lockbench adapters setup %s", name)
	}
	return name
}

// states is how many states a search came to, which is the same if its runs are.
func states(t *testing.T, said string) string {
	t.Helper()
	_, rest, _ := strings.Cut(said, " runs, ")
	n, _, found := strings.Cut(rest, " distinct states")
	if !found {
		t.Fatalf("it says no number of states:\n%s", said)
	}
	return n
}

// TestAnUnknownCommandIsNamed: a lock that sends a command of Redis that the simulated one lacks
// cannot be searched there. That is said, and the command is named.
func TestAnUnknownCommandIsNamed(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	knows(t, filepath.Join(ownLock, "go", "*"), "../../internal/foreign/linked/bridge/*.go",
		"../../go.*")
	installed(t, ownLock+"/go")
	dir := filepath.Join(clone(t), "go")
	lock := filepath.Join(dir, "lock.go")
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	const take = "ok, err := r.SetNX("
	strange := strings.Replace(string(text), take, `r.Do(ctx, "GEOADD", l.key+":geo", 1, 1, "x")`+"\n\t\t"+take, 1)
	if strange == string(text) {
		t.Fatalf("%s has no %q", lock, take)
	}
	if err := os.WriteFile(lock, []byte(strange), 0o644); err != nil {
		t.Fatal(err)
	}
	said := in(t, ".", 255, "lockbench", "explore", "--adapter", dir, "--nemesis", "crash",
		"--seeds", "5")
	if !strings.Contains(said, "GEOADD") {
		t.Errorf("it does not name the command:\n%s", said)
	}
}
