//go:build linux

package stepped

import (
	"slices"
	"sync"
)

// idle holds the programs that wait for another run.
var idle spares

// mostSpares bounds how many programs wait for another run. Each keeps its memory.
const mostSpares = 24

// spares keeps programs with their configurations, the longest wait first. It is safe for
// concurrent use.
type spares struct {
	mu  sync.Mutex
	all []spare
}

type spare struct {
	config string
	*program
}

// take returns a program, or nil if there is none.
func (s *spares) take(config string) *program {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range slices.Backward(s.all) {
		if x.config == config {
			s.all = slices.Delete(s.all, i, i+1)
			return x.program
		}
	}
	return nil
}

// put keeps a program, and ends one that has waited for too long.
func (s *spares) put(config string, p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == mostSpares {
		s.all[0].close()
		s.all = slices.Delete(s.all, 0, 1)
	}
	s.all = append(s.all, spare{config, p})
}
