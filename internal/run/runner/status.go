package runner

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// Status shows the progress of a run. Several goroutines may call its methods. The methods of a nil
// Status do nothing.
type Status struct {
	mu           sync.Mutex
	phase        string
	acquisitions int
	fault        string // the latest that began
}

// Line returns the status in a few words. took is the time since the start of the run.
func (s *Status) Line(took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%s, %.0f s", cmp.Or(s.phase, "looking at what is possible here"),
		took.Seconds())
	if s.acquisitions > 0 {
		line += ", " + units.Count(s.acquisitions, "acquisition")
	}
	if s.fault != "" {
		line += ", fault: " + s.fault
	}
	return line
}

func (s *Status) enter(phase string) {
	if s != nil {
		s.mu.Lock()
		s.phase = phase
		s.mu.Unlock()
	}
}

// watch returns a watcher that judges the run as it goes on. A certain violation can end the run.
func (s *Status) watch(h history.Header) harness.Watcher {
	m := checker.NewMonitor(h)
	if s == nil {
		return m
	}
	return follower{m, s}
}

// follower is a monitor that updates the status.
type follower struct {
	*checker.Monitor
	status *Status
}

// Add implements harness.Watcher.
func (f follower) Add(e history.Event) bool {
	f.status.mu.Lock()
	switch {
	case e.Type == history.OK && e.F == history.Acquire:
		f.status.acquisitions++
	case e.Type == history.Fault && e.Phase == history.PhaseFrom:
		f.status.fault = e.F + " " + e.Target
	}
	f.status.mu.Unlock()
	return f.Monitor.Add(e)
}
