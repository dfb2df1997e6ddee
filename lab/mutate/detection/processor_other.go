//go:build !unix

package detection

import "time"

var started = time.Now()

// ProcessorTime returns the time since this process started, an upper bound of its CPU time.
func ProcessorTime() time.Duration { return time.Since(started) }
