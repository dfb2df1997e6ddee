//go:build unix

package sim_test

import (
	"syscall"
	"time"
)

// processorTime is what the process has used so far: on a machine that does other things, it says
// more than the clock.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
