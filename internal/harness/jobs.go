package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// The share of a machine that one of many runs needs at most. A real run mostly waits, and has up
// to six servers and four clients of some 12 MB each. A simulated run computes, and more than a few
// for each processor only wait for each other.
const (
	jobsOfProcessor = 32
	memoryOfJob     = 128 << 20
)

// mostJobs returns how many runs at the same time a machine bears. Memory is in bytes, or 0 if
// unknown.
func mostJobs(processors int, memory int64) int64 {
	most := int64(processors) * jobsOfProcessor
	if memory > 0 {
		most = min(most, memory/memoryOfJob)
	}
	return max(1, most)
}

// bears returns an error if this machine cannot bear so many runs at the same time. Its processes
// would stall, and a run with stalled processes says nothing.
func bears(jobs int64) error {
	most := mostJobs(runtime.GOMAXPROCS(0), memoryOfMachine())
	if jobs <= most {
		return nil
	}
	return fmt.Errorf(
		"--jobs is %d; this machine bears %d (%d for each processor, one for each %d MB)", jobs, most,
		jobsOfProcessor, memoryOfJob>>20)
}

// memoryOfMachine returns the size of the memory in bytes, or 0 on systems other than Linux.
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
