//go:build race

package testenv

import "os"

// Race reports whether the race detector is built in.
const Race = true

// A program with the race detector sleeps a second at its end, and an ended worker's exit code is
// not looked at. What a test starts does not sleep, and a race ends it at once: its run breaks.
// What the user has put into GORACE counts more.
func init() {
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1 "+os.Getenv("GORACE"))
	if os.Getenv("LOCKBENCH_PLAY") == "worker" { // which plays while packages are initialised
		PlantRace("worker")
	}
}
