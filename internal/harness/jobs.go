package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// What a run needs at most of a machine, beside others: a real one mostly waits and has up to six
// servers and four clients of some 12 MB each, a simulated one works, and more than a few for each
// processor only wait for each other.
const (
	jobsOfProcessor = 32
	memoryOfJob     = 128 << 20
)

// mostJobs is how many runs at the same time a machine bears; memory is 0 where that is not known.
func mostJobs(processors int, memory int64) int64 {
	most := int64(processors) * jobsOfProcessor
	if memory > 0 {
		most = min(most, memory/memoryOfJob)
	}
	return max(1, most)
}

// bears refuses more runs at the same time than this machine bears: it would stall, and a run in
// which processes stalled says nothing.
func bears(jobs int64) error {
	most := mostJobs(runtime.GOMAXPROCS(0), memoryOfMachine())
	if jobs <= most {
		return nil
	}
	return fmt.Errorf(
		"--jobs is %d; this machine bears %d (%d for each processor, one for each %d MB)", jobs, most,
		jobsOfProcessor, memoryOfJob>>20)
}

// memoryOfMachine is how many bytes of memory Linux has; 0 elsewhere.
func memoryOfMachine() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
