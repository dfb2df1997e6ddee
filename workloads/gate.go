package workloads

import (
	"context"
	"fmt"
	"regexp"
	"sync"
)

// gates are the armed gates of one worker. It is safe for concurrent use: a lock may send commands
// from several goroutines.
type gates struct {
	life  context.Context // of the worker
	mu    sync.Mutex
	armed []*gate
}

type gate struct {
	Breakpoint
	command *regexp.Regexp
	left    int // matches still to pass before it stops somebody
	open    chan struct{}
	once    sync.Once
	stops   map[int]chan struct{} // of a gate for everybody: who stands there
	stopped int                   // how many have stood there
}

// stand is a place at a gate where somebody waits.
type stand struct {
	id, stop int
	open     <-chan struct{}
	until    context.Context
	notice   bool // nobody waits there
}

// When a gate at a command stops.
const (
	atBefore = "before"
	atSent   = "sent" // just after it has left; nobody stops there
	atAfter  = "after"
)

// arm adds a gate.
func (g *gates) arm(spec Breakpoint) error {
	n := &gate{Breakpoint: spec, left: max(spec.Nth, 1), open: make(chan struct{}),
		stops: map[int]chan struct{}{}}
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

// none reports whether no gate is armed.
func (g *gates) none() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.armed) == 0
}

// open lets everybody through the gates with this number and forgets them; or, of a gate for
// everybody, one who stands there.
func (g *gates) open(id, stop int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	keep := g.armed[:0]
	for _, a := range g.armed {
		switch {
		case a.ID != id:
			keep = append(keep, a)
		case stop > 0:
			keep = append(keep, a)
			a.pass(stop)
		default:
			a.once.Do(func() { close(a.open) })
			for stop := range a.stops {
				a.pass(stop)
			}
		}
	}
	g.armed = keep
}

// pass lets one go on.
func (a *gate) pass(stop int) {
	if open, ok := a.stops[stop]; ok {
		close(open)
		delete(a.stops, stop)
	}
}

// phase stops at a gate for this phase, command at one for this command. Hit is told the gate's
// number, and of a gate for everybody the stop's.
func (g *gates) phase(ctx context.Context, phase string, hit func(id, stop int)) {
	begins := phase == PhaseAcquire || phase == PhaseRelease || phase == PhaseConnect
	g.pass(ctx, func(a *gate) bool {
		return a.Every && begins || !a.Every && a.command == nil &&
			a.Phase == phase
	}, hit)
}

func (g *gates) command(ctx context.Context, at, command string, hit func(id, stop int)) {
	g.pass(ctx, func(a *gate) bool {
		return a.Every && at == atBefore || a.command != nil && a.At == at &&
			a.command.MatchString(command)
	}, hit)
}

// pass waits at the first armed gate that matches until it is opened or ctx ends, or the client's
// life: a lock that gives something back does so with a context that no cancelling ends. Only one
// passer stops at a gate that is not for everybody; others go by, as they would at a turnstile that
// somebody stands in.
func (g *gates) pass(ctx context.Context, match func(*gate) bool, hit func(id, stop int)) {
	s, ok := g.take(ctx, match)
	if !ok {
		return
	}
	hit(s.id, s.stop)
	if s.notice {
		return
	}
	select {
	case <-s.open:
	case <-s.until.Done():
	case <-g.life.Done():
	}
}

func (g *gates) take(ctx context.Context, match func(*gate) bool) (stand, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.armed {
		switch {
		case a.left == 0 || !match(a):
		case a.Every:
			return g.stop(a), true
		default:
			if a.left--; a.left == 0 {
				return stand{id: a.ID, open: a.open, until: ctx, notice: a.Phase == PhaseSent ||
					a.At == atSent}, true
			}
		}
	}
	return stand{}, false
}

// stop is a new place at a gate for everybody. A command's time-out does not end the wait there: it
// is over when somebody says so.
func (g *gates) stop(a *gate) stand {
	a.stopped++
	open := make(chan struct{})
	a.stops[a.stopped] = open
	return stand{id: a.ID, stop: a.stopped, open: open, until: g.life}
}
