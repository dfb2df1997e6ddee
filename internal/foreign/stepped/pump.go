//go:build linux

package stepped

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/workloads"
)

// pump runs a program in the simulator: one goroutine gives it what has come, or moves its clocks
// to its next deadline, and waits until it is at rest.
type pump struct {
	*program
	client  workloads.LinkedClient
	named   func(error) error // adds the adapter's name
	running sync.WaitGroup
	end     context.CancelFunc
	life    context.Context
	links   map[*socket]chan dispatch // what the program sends; closed when it closes
	resumes atomic.Bool               // it has served a client, and need not be able to serve another

	mu     sync.Mutex
	inputs []input
	woken  context.CancelFunc // ends the present wait
	calls  map[int]chan adapter.Answer
	holds  map[int]bool // that were acquired and not released
	ready  chan adapter.Answer
	err    error // why the program can do nothing more
}

// input is something for a program: an order, or bytes from a server.
type input struct {
	from  int // order of those that come at once
	order []byte
	to    *socket
	data  []byte // none: the end of the connection
}

// dispatch is what a program sends over a connection.
type dispatch struct {
	data []byte
	turn time.Duration // separates what a program sends at the same moment
}

// acquired is the answer that grants a lock.
const acquired = "acquired"

// uptime is what the monotonic clock shows when a run begins.
const uptime = 1000 * time.Second

func newPump(p *program, c workloads.LinkedClient, named func(error) error) *pump {
	u := &pump{program: p, client: c, named: named, links: map[*socket]chan dispatch{},
		calls: map[int]chan adapter.Answer{}, holds: map[int]bool{}, ready: make(chan adapter.Answer, 1)}
	u.life, u.end = context.WithCancel(c.Life)
	return u
}

// clocks returns what the program's clocks show.
func (u *pump) clocks() clocks {
	now := int64(uptime+u.client.Env.Elapsed()) + u.past
	return clocks{now, u.client.Env.Now().UnixNano() + u.past - now, int64(u.client.Env.Stood())}
}

// run drives the program until its client ends.
func (u *pump) run() {
	err := u.step(input{})
	for err == nil && u.life.Err() == nil {
		u.wait()
		u.client.Env.Breathe()
		if u.life.Err() != nil {
			break // the end of its connections is the end of the run
		}
		inputs := u.take()
		if len(inputs) == 0 {
			err = u.step(input{})
		}
		for _, i := range inputs {
			if err == nil {
				err = u.step(i)
			}
		}
	}
	u.fail(err)
	u.past = afterRest(u.past + int64(u.client.Env.Stamp()))
}

// rest is how long at least a program is idle between two runs. What it does every now and then is
// due then, so that it begins anew with the run, as it does in a program that has just started.
const rest = time.Minute

// afterRest returns when a program's next run begins if it ended a run at t. The time is a multiple
// of a rest, so that a program that acts at fixed times acts at the same times of each run.
func afterRest(t int64) int64 { return (t/int64(rest) + 2) * int64(rest) }

// leave notes in the program what it has not finished for its client.
func (u *pump) leave() {
	u.begun, u.held = slices.Sorted(maps.Keys(u.calls)), slices.Sorted(maps.Keys(u.holds))
}

// expect prepares for the answer to a call.
func (u *pump) expect(n int) chan adapter.Answer {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := make(chan adapter.Answer, 1)
	u.calls[n] = k
	return k
}

// wait returns when something has come for the program, or a deadline of it has passed.
func (u *pump) wait() {
	ctx, cancel := context.WithCancel(u.life)
	defer cancel()
	u.mu.Lock()
	u.woken = cancel
	waiting := len(u.inputs) == 0
	u.mu.Unlock()
	at, any := u.page.soonest()
	now := u.clocks().now
	switch {
	case !waiting || any && at <= now:
	case any:
		// not Sleep: a wait on a clock that goes on may end when the machine wakes
		_ = u.client.Env.SleepThrough(ctx, time.Duration(at-now))
	default:
		<-ctx.Done()
	}
	time.Sleep(time.Nanosecond) // others that act at the same moment do so first
}

// take returns what has come, in an order that does not depend on the goroutines.
func (u *pump) take() []input {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.inputs
	u.inputs = nil
	slices.SortStableFunc(all, func(a, b input) int { return cmp.Compare(a.from, b.from) })
	return all
}

func (u *pump) give(i input) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.inputs = append(u.inputs, i)
	if u.woken != nil {
		u.woken()
	}
}

// step gives the program an input, moves its clocks, and hands on what it did.
func (u *pump) step(i input) error {
	err := u.set(u.clocks())
	switch {
	case err != nil:
	case i.order != nil:
		err = u.order(i.order)
	case i.to != nil:
		err = u.deliver(i.to, i.data)
	}
	if err != nil {
		return u.ended(err)
	}
	o, err := u.settle()
	if err != nil {
		return err
	}
	for i, s := range o.opened {
		u.open(s, time.Duration(i+1)*turn)
	}
	for i, s := range o.sent {
		if s.data == nil {
			close(u.links[s.socket])
			delete(u.links, s.socket)
			continue
		}
		u.links[s.socket] <- dispatch{s.data, time.Duration(i+1) * turn}
	}
	for _, line := range o.lines {
		if err := u.answer(line); err != nil {
			return err
		}
	}
	return nil
}

// mostSent bounds what a program sends over a connection at once.
const mostSent = 1 << 10

// turn is the time between two things that a program does at the same moment.
const turn = 7 * time.Nanosecond

// open connects a socket of the program to the simulator.
func (u *pump) open(s *socket, after time.Duration) {
	out := make(chan dispatch, mostSent)
	u.links[s] = out
	past := s.past()
	u.running.Go(func() {
		time.Sleep(after)
		conn, err := u.client.Dial(u.life, "tcp", u.client.Address(s.server))
		if err != nil {
			u.give(input{from: s.number, to: s})
			return
		}
		defer conn.Close()
		if tell(conn, past) != nil {
			u.give(input{from: s.number, to: s})
			return
		}
		u.running.Go(func() {
			b := make([]byte, 16<<10)
			for {
				n, err := conn.Read(b)
				if n > 0 {
					u.give(input{from: s.number, to: s, data: slices.Clone(b[:n])})
				}
				if err != nil {
					u.give(input{from: s.number, to: s})
					return
				}
			}
		})
		for {
			select {
			case d, more := <-out:
				if !more {
					return
				}
				time.Sleep(d.turn)
				if _, err := conn.Write(d.data); err != nil {
					u.give(input{from: s.number, to: s})
					return
				}
			case <-u.life.Done():
				return
			}
		}
	})
}

// answer hands on a line of the program.
func (u *pump) answer(line []byte) error {
	a, err := adapter.ParseAnswer(line)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch a.Is {
	case "ready":
		u.ready <- a
	case "broken":
		return errors.New("it says: " + a.Err)
	case "unsupported":
		return a.Unsupported()
	case "lost":
		u.client.Lost(a.N, a.By)
	case "begun", "gap":
	default:
		k := u.calls[a.N]
		if k == nil {
			return errors.New("it answered " + a.Is + " without being asked")
		}
		delete(u.calls, a.N)
		if a.Is == acquired {
			u.holds[a.N] = true
		} else if a.Is != "extended" {
			delete(u.holds, a.N)
		}
		k <- a
	}
	return nil
}

func (u *pump) call(ctx context.Context, o adapter.Order) (adapter.Answer, error) {
	k := u.expect(o.N)
	if err := u.tell(o); err != nil {
		return adapter.Answer{}, err
	}
	return u.await(ctx, k)
}

func (u *pump) tell(o any) error {
	line, err := json.Marshal(o)
	if err == nil {
		u.give(input{from: -1, order: line})
	}
	return err
}

// await waits for an answer, until the context or the client ends.
func (u *pump) await(ctx context.Context, k chan adapter.Answer) (adapter.Answer, error) {
	select {
	case a := <-k:
		return a, nil
	case <-ctx.Done():
	case <-u.life.Done():
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return adapter.Answer{}, cmp.Or(u.err, workloads.ErrGone)
}

// fail ends the client's calls, and with an error the run: the program can do nothing more.
func (u *pump) fail(err error) {
	u.mu.Lock()
	u.err = err
	u.mu.Unlock()
	u.end()
	if err != nil && !u.resumes.Load() {
		u.client.Broke(u.named(err))
	}
}
