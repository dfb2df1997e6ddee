package workloads

import (
	"context"
	"fmt"
	"regexp"
	"sync"

	"github.com/lockbench/lockbench/nemesis"
)

// breakpoints are the armed breakpoints of one worker. It is safe for concurrent use: a lock may
// send commands from several goroutines.
type breakpoints struct {
	life  context.Context // of the worker
	mu    sync.Mutex
	armed []*armedBreakpoint
}

type armedBreakpoint struct {
	Breakpoint
	command *regexp.Regexp
	left    int // matches still to pass before it stops a call
	open    chan struct{}
	once    sync.Once
	stops   map[int]chan struct{} // waiting calls, for a breakpoint for every call
	stopped int                   // how many calls have waited
}

// stand is one wait of a call at a breakpoint.
type stand struct {
	id, stop int
	open     <-chan struct{}
	until    context.Context
	notice   bool // a mere notice: no call waits
}

func (g *breakpoints) arm(spec Breakpoint) error {
	n := &armedBreakpoint{Breakpoint: spec, left: max(spec.Nth, 1), open: make(chan struct{}),
		stops: map[int]chan struct{}{}}
	if spec.Command != "" {
		re, err := regexp.Compile(spec.Command)
		if err != nil {
			return fmt.Errorf("breakpoint %d: %w", spec.ID, err)
		}
		n.command = re
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = append(g.armed, n)
	return nil
}

func (g *breakpoints) none() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.armed) == 0
}

// open lets all calls pass the breakpoints with this number and forgets the breakpoints. For a
// breakpoint for every call, it lets one waiting call pass.
func (g *breakpoints) open(id, stop int) {
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

// pass lets one waiting call go on.
func (a *armedBreakpoint) pass(stop int) {
	if open, ok := a.stops[stop]; ok {
		close(open)
		delete(a.stops, stop)
	}
}

// phase stops a call at a breakpoint for this phase. It calls hit with the breakpoint's number and,
// for a breakpoint for every call, the number of the stop.
func (g *breakpoints) phase(ctx context.Context, phase string, hit func(id, stop int)) {
	begins := phase == nemesis.Acquiring || phase == nemesis.Releasing || phase == PhaseConnect
	g.pass(ctx, func(a *armedBreakpoint) bool {
		return a.Every && begins || !a.Every && a.command == nil && a.Means == "" &&
			a.Phase == phase
	}, hit)
}

// command stops a call at a breakpoint for this command. The function command returns its words,
// and is reports whether it has a meaning. It returns true if the call stood at a breakpoint that
// is not for every call.
func (g *breakpoints) command(ctx context.Context, at string, command func() string,
	is func(meaning string) bool, hit func(id, stop int)) bool {
	return g.pass(ctx, func(a *armedBreakpoint) bool {
		return a.Every && at == nemesis.Before || a.At == at &&
			(a.command != nil && a.command.MatchString(command()) || a.Means != "" && is(a.Means))
	}, hit)
}

// pass waits at the first armed breakpoint that matches. It returns when the breakpoint is opened,
// or when ctx or the client's life ends. Both count, because a lock may release with a context that
// is never cancelled. A breakpoint stops only one call, unless it is for every call; other calls
// pass. It returns true if the call stood at a breakpoint that is not for every call.
func (g *breakpoints) pass(ctx context.Context, match func(*armedBreakpoint) bool,
	hit func(id, stop int)) bool {
	s, ok := g.take(ctx, match)
	if !ok {
		return false
	}
	hit(s.id, s.stop)
	if s.notice {
		return false
	}
	select {
	case <-s.open:
	case <-s.until.Done():
	case <-g.life.Done():
	}
	return s.stop == 0
}

func (g *breakpoints) take(ctx context.Context, match func(*armedBreakpoint) bool) (stand, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.armed {
		switch {
		case a.left == 0 || !match(a):
		case a.Every:
			return g.stop(a), true
		default:
			if a.left--; a.left == 0 {
				return stand{id: a.ID, open: a.open, until: ctx, notice: a.Phase == nemesis.Sent ||
					a.At == nemesis.JustSent}, true
			}
		}
	}
	return stand{}, false
}

// stop returns a new wait at a breakpoint for every call. Only an order ends that wait, and not the
// time-out of the command.
func (g *breakpoints) stop(a *armedBreakpoint) stand {
	a.stopped++
	open := make(chan struct{})
	a.stops[a.stopped] = open
	return stand{id: a.ID, stop: a.stopped, open: open, until: g.life}
}
