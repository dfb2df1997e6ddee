package replay

import (
	"errors"
	"time"

	"github.com/lockbench/lockbench/internal/history"
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

// drain handles all available reports.
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
