package replay

import (
	"errors"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// awaitRest waits until a client is idle.
func (r *replayer) awaitRest(client int) error {
	a := r.actors[client]
	var wrong error
	_, err := r.await(func() bool {
		if a.paused || a.gone || wrong != nil {
			return true
		}
		if !r.environment.WaitIdle(client, tick) {
			return false
		}
		passed := a.passed
		wrong = r.drain()
		return passed == a.passed // otherwise it has continued since
	})
	return errors.Join(err, wrong)
}

func (r *replayer) drain() error {
	for {
		rep, ok := r.environment.Next(r.ctx, r.environment.Now())
		if !ok {
			return r.ctx.Err()
		}
		if err := r.take(rep); err != nil {
			return err
		}
	}
}

// dial lets clients connect, except a client that will be redirected while it connects.
func (r *replayer) dial() {
	for i, a := range r.actors {
		if len(a.dialling) > 0 && !r.redirected(i) {
			for _, h := range a.dialling {
				r.pass(i, h)
			}
			a.dialling = nil
		}
	}
}

// hurry tells a client the delay of the replay before the client continues. It then shortens its
// sleeps, so that the costs of the steps do not add up.
func (r *replayer) hurry(client int) error {
	a := r.actors[client]
	late := r.clock.lateness(r.now, r.environment.Now())
	if a.paused || max(late-a.hurry, a.hurry-late) < worthTelling {
		return nil
	}
	a.hurry = late
	r.environment.Send(client, workloads.Order{Do: workloads.DoHurry, Offset: history.Duration(late)})
	return r.awaitRest(client)
}

// worthTelling is more than the cost of telling a client.
const worthTelling = 500 * time.Microsecond

// The timeouts of a client run while the replayer holds it at a breakpoint, which costs some
// milliseconds per command. Therefore the clients of a replay wait for replies without a limit. The
// replayer tells them to give up when the clients of the record did.

// generous is a timeout that never expires in practice.
const generous = 10 * time.Second

// patient returns the configuration of the clients of a replay. A library cannot be told to give
// up, and keeps its timeouts.
func patient(c *counterexample.Counterexample) workloads.Config {
	w := c.Plan.Worker()
	if c.Plan.Adapter != nil {
		return w
	}
	w.ClientTimeout = max(w.ClientTimeout, history.Duration(generous))
	if c.Plan.Topology == nemesis.Independent {
		w.NodeTimeout = max(w.NodeTimeout, history.Duration(generous))
	}
	return w
}

// gaveUp reports whether a client gave up waiting for a reply.
func gaveUp(s counterexample.Step) bool {
	return s.Kind == counterexample.Recv && waited(s.Loss)
}

// waited reports whether a timeout of a client or a call expired.
func waited(l history.Loss) bool { return l == history.TimedOut || l == history.Expired }
