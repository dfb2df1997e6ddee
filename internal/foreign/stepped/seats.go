//go:build linux

package stepped

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// seats keeps each run, its programs and the thread that waits for them, on one processor. One is
// enough, because only one of them works at a time. Runs get different ones if there are enough. It
// is safe for concurrent use.
type seats struct {
	mu      sync.Mutex
	allowed unix.CPUSet      // of this process
	runs    map[int]int      // by processor
	of      map[uint64]*seat // by run
}

// seat is a run's processor.
type seat struct{ processor, programs int }

// processors holds the processors that this process may use.
var processors = sync.OnceValue(func() *seats {
	s := &seats{runs: map[int]int{}, of: map[uint64]*seat{}}
	if unix.SchedGetaffinity(0, &s.allowed) == nil {
		for i := range len(s.allowed) * 64 {
			if s.allowed.IsSet(i) {
				s.runs[i] = 0
			}
		}
	}
	return s
})

// take returns the processor of a run, for one more of its programs. It is the least used one, and
// -1 if the system does not tell which there are.
func (s *seats) take(run uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of[run]
	if of == nil {
		of = &seat{processor: -1}
		for i, n := range s.runs {
			if least := of.processor; least < 0 || n < s.runs[least] {
				of.processor = i
			}
		}
		s.runs[of.processor]++
		s.of[run] = of
	}
	of.programs++
	return of.processor
}

// leave ends what take began.
func (s *seats) leave(run uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of[run]
	if of.programs--; of.programs == 0 {
		s.runs[of.processor]--
		delete(s.of, run)
	}
}

// on calls f in a thread that runs on a processor, or on any if it is -1.
func (s *seats) on(processor int, f func() error) error {
	if processor < 0 {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if move(0, processor) == nil {
		defer func() { _ = unix.SchedSetaffinity(0, &s.allowed) }()
	}
	return f()
}

// move lets a thread, or with 0 the calling one, run on one processor only.
func move(thread, processor int) error {
	var one unix.CPUSet
	one.Set(processor)
	return unix.SchedSetaffinity(thread, &one)
}
