package workloads

import (
	"context"
	"fmt"
	"regexp"
	"sync"
)

// gates are the armed gates of one worker. It is safe for concurrent use: a lock may send commands from several goroutines.
type gates struct {
	mu    sync.Mutex
	armed []*gate
}

type gate struct {
	Gate
	command *regexp.Regexp
	left    int // matches still to pass before it stops somebody
	open    chan struct{}
	once    sync.Once
}

// arm adds a gate.
func (g *gates) arm(spec Gate) error {
	n := &gate{Gate: spec, left: max(spec.Nth, 1), open: make(chan struct{})}
	if spec.Command != "" {
		re, err := regexp.Compile(spec.Command)
		if err != nil {
			return fmt.Errorf("gate %d: %w", spec.ID, err)
		}
		n.command = re
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = append(g.armed, n)
	return nil
}

// open lets everybody through the gates with this number and forgets them.
func (g *gates) open(id int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	keep := g.armed[:0]
	for _, a := range g.armed {
		if a.ID == id {
			a.once.Do(func() { close(a.open) })
			continue
		}
		keep = append(keep, a)
	}
	g.armed = keep
}

// phase stops at a gate for this phase, command at one for this command.
func (g *gates) phase(ctx context.Context, phase string, hit func(id int)) {
	g.pass(ctx, func(a *gate) bool { return a.command == nil && a.Phase == phase }, hit)
}

func (g *gates) command(ctx context.Context, at, command string, hit func(id int)) {
	g.pass(ctx, func(a *gate) bool { return a.command != nil && a.At == at && a.command.MatchString(command) }, hit)
}

// pass waits at the first armed gate that matches until it is opened or ctx ends. Only one passer stops at a gate;
// others go by, as they would at a turnstile that somebody stands in.
func (g *gates) pass(ctx context.Context, match func(*gate) bool, hit func(id int)) {
	a := g.take(match)
	if a == nil {
		return
	}
	hit(a.ID)
	select {
	case <-a.open:
	case <-ctx.Done():
	}
}

func (g *gates) take(match func(*gate) bool) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.armed {
		if a.left > 0 && match(a) {
			if a.left--; a.left == 0 {
				return a
			}
		}
	}
	return nil
}
