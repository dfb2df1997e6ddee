//go:build unix

package detection

import (
	"syscall"
	"time"
)

// ProcessorTime returns the CPU time of this process.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
