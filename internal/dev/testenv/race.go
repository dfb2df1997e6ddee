//go:build race

package testenv

import "os"

// Race reports whether the race detector is built in.
const Race = true

// A program with the race detector sleeps a second at its end, and tests ignore the exit code of an
// ended worker. Therefore children of a test do not sleep, and a race ends them at once, which
// breaks their run. The user's own GORACE has priority.
func init() {
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1 "+os.Getenv("GORACE"))
	if os.Getenv("LOCKBENCH_PLAY") == "worker" { // it plays while packages are initialised
		PlantRace("worker")
	}
}
