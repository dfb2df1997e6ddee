package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestRaceScript runs the verbs with little to do. Without the race detector TestScript does more.
func TestRaceScript(t *testing.T) {
	if !testenv.Race && !testing.Short() {
		t.Skip("TestScript runs more")
	}
	t.Parallel()
	testscript.Run(t, scriptsIn("testdata/race"))
}

func TestPlantedRace(*testing.T) { testenv.PlantRace("test") }

// TestARaceTurnsATestRed plants a data race in a test, in a command that a test starts, and in a
// worker that this command starts.
func TestARaceTurnsATestRed(t *testing.T) {
	if !testenv.Race {
		t.Skip("needs the race detector")
	}
	t.Parallel()
	testenv.Part(t, "redis")
	tmp := t.TempDir()
	run := command(t, tmp, "run", "--env", "process", "--impl", "token-lua", "--store", tmp)
	for _, row := range []struct {
		part string
		cmd  *exec.Cmd
		code int
		says string
	}{
		{"test", exec.Command(os.Args[0], "-test.run=^TestPlantedRace$"), 1,
			"--- FAIL: TestPlantedRace"},
		{"command", command(t, t.TempDir(), "list"), 66, "WARNING: DATA RACE"},
		{"worker", run, exitUsage, "ended while it started (exit status 66)"},
	} {
		if row.cmd.Env == nil { // a test is marked, and the others go on
			row.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		}
		row.cmd.Env = append(row.cmd.Env, testenv.RacePlanted+"="+row.part)
		out, _ := row.cmd.CombinedOutput()
		if code := row.cmd.ProcessState.ExitCode(); code != row.code ||
			!strings.Contains(string(out), row.says) {
			t.Errorf("a race in a %s: exit code %d:\n%s\nit must be %d and say %q", row.part, code, out,
				row.code, row.says)
		}
	}
}
