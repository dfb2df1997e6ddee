//go:build !unix

package detection

import "time"

var started = time.Now()

// ProcessorTime is at most how long this process has run: an upper bound, where the system is not
// asked for more.
func ProcessorTime() time.Duration { return time.Since(started) }
