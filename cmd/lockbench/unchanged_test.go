package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// asked counts how a gate of an unchanged lock ended, by its exit code: 0 as expected, 1 red, 2
// unknown. Red is a false alarm, and told in full.
type asked map[int]int

func (a asked) again(t *testing.T, dir string, times int, gate string) {
	t.Helper()
	for range times {
		c := exec.Command("lockbench", "gate", gate, "--out", "again")
		c.Dir = dir
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		code := c.ProcessState.ExitCode()
		if a[code]++; code == 1 {
			t.Errorf("%s is red:\n%s", gate, out)
		} else if code != 0 {
			t.Logf("%s ends with %d:\n%s", gate, code, out)
		}
		os.RemoveAll(filepath.Join(dir, "again"))
	}
}

// TestAnUnchangedLockLeavesItsGateGreen: with LOCKBENCH_SOAK, 500 gates of all locks in the
// simulator, and 50 on real Redis, while the machine is loaded. None may be red.
// `-run UnchangedLock/simulator/^getset$` asks a part.
func TestAnUnchangedLockLeavesItsGateGreen(t *testing.T) {
	if !testenv.Soak() {
		t.Skip("550 gates are run with LOCKBENCH_SOAK")
	}
	t.Run("simulator", func(t *testing.T) {
		const runs = 500
		all := impls.All()
		a, dir := asked{}, t.TempDir()
		for i, l := range all {
			t.Run(l.Name, func(t *testing.T) {
				gate := l.Name + ".yaml"
				in(t, dir, 0, "lockbench", "gate", "--init", "--impl", l.Name, "--nemesis",
					"none,crash,pause,failover", "--repeat", "2", "--quiet", "--out", "first", gate)
				os.RemoveAll(filepath.Join(dir, "first"))
				a.again(t, dir, (runs+i)/len(all), gate)
				t.Logf("exit codes up to here: %v", a)
			})
		}
	})
	t.Run("real", func(t *testing.T) {
		testenv.Part(t, "redis")
		const runs, loops = 50, 3
		a, dir := asked{}, clone(t)
		in(t, dir, 0, "lockbench", "gate", "--init", "--impl", "token-lua", "--env", "process",
			"--nemesis", "none,crash,late,restart", "--repeat", "3", "--quiet", "--out", "first",
			"token.yaml")
		os.RemoveAll(filepath.Join(dir, "first"))
		for range loops {
			busy := exec.Command("sh", "-c", "while :; do :; done")
			if err := busy.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = busy.Process.Kill(), busy.Wait() })
		}
		for _, gate := range []string{"lockbench.yaml", "token.yaml"} {
			for range runs / 2 {
				a.again(t, dir, 1, gate)
				load, _ := os.ReadFile("/proc/loadavg")
				t.Logf("%s: %v; load %s", gate, a, load)
			}
		}
	})
}
