//go:build linux

package stepped

import "sync"

// idle holds the programs that wait for another run.
var idle = spares{all: map[string][]*program{}}

// spares are programs by their configuration. They are safe for concurrent use.
type spares struct {
	mu  sync.Mutex
	all map[string][]*program
}

// take returns a program, or nil if there is none.
func (s *spares) take(config string) *program {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.all[config]
	if len(free) == 0 {
		return nil
	}
	s.all[config] = free[:len(free)-1]
	return free[len(free)-1]
}

// put keeps a program.
func (s *spares) put(config string, p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[config] = append(s.all[config], p)
}

// EndSpares ends the programs that wait for another run.
func EndSpares() {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	for config, free := range idle.all {
		for _, p := range free {
			p.close()
		}
		delete(idle.all, config)
	}
}
