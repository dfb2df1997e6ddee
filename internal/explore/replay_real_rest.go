package explore

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// rest waits until a client has nothing to do but wait.
func (p *player) rest(client int) error {
	a := p.actors[client]
	var wrong error
	_, err := p.await(func() bool {
		if a.paused || a.gone || wrong != nil {
			return true
		}
		if !p.environment.Rest(client, tick) {
			return false
		}
		passed := a.passed
		wrong = p.drain()
		return passed == a.passed // else it has gone on since
	})
	return errors.Join(err, wrong)
}

// drain takes the reports that have come.
func (p *player) drain() error {
	for {
		rep, ok := p.environment.Next(p.ctx, p.environment.Now())
		if !ok {
			return p.ctx.Err()
		}
		if err := p.take(rep); err != nil {
			return err
		}
	}
}

// dial lets clients connect, unless they are going to be directed elsewhere while they do.
func (p *player) dial() {
	for i, a := range p.actors {
		if len(a.dialling) > 0 && !p.directed(i) {
			for _, h := range a.dialling {
				p.pass(i, h)
			}
			a.dialling = nil
		}
	}
}

// dialTime is how long it takes a simulated client to connect.
const dialTime = 20 * time.Microsecond

// directed reports whether a client was told in the record to use another node while it connected.
func (p *player) directed(client int) bool {
	for _, t := range p.turns[min(p.now+1, len(p.turns)):] {
		if t.At-p.turns[p.now].At > history.Duration(dialTime) {
			return false
		}
		if t.Kind == Fault && t.Fault.Do == nemesis.Redirect && t.Fault.Target == fmt.Sprintf("c%d",
			client) {
			return true
		}
	}
	return false
}

// hurry tells a client how late the replay is, before it goes on: its sleeps end when they ended in
// the record, so that what each step costs does not add up.
func (p *player) hurry(client int) error {
	a := p.actors[client]
	late := p.clock.lateness(p.now, p.environment.Now())
	if a.paused || max(late-a.hurry, a.hurry-late) < worthTelling {
		return nil
	}
	a.hurry = late
	p.environment.Send(client, workloads.Order{Do: workloads.DoHurry, Offset: history.Duration(late)})
	return p.rest(client)
}

// worthTelling is more than it costs to tell.
const worthTelling = 500 * time.Microsecond
