//go:build !unix

package detection

import "time"

var started = time.Now()

// processorTime is at most how long this process has run: an upper bound, where the system is not
// asked for more.
func processorTime() time.Duration { return time.Since(started) }
