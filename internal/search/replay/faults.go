package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// fault carries out a fault. It only records a delay of messages between clients and nodes, since
// the recorded order already includes it.
func (r *replayer) fault(f nemesis.Step) error {
	if err := r.inflict(f); err != nil {
		return err
	}
	if f.Do == nemesis.KillNode {
		return r.ends(f.Target)
	}
	r.hurt.add(f)
	if i, err := nemesis.Client(f.Target); err == nil && i < len(r.actors) {
		return r.awaitFault(i, f)
	}
	return nil
}

func (r *replayer) inflict(f nemesis.Step) error {
	switch {
	case f.Do == nemesis.Delay && strings.IndexAny(f.Target, "c*") == 0:
		return r.journal.Note(f)
	case !f.Fault() && !f.Repairs():
		return nemesis.Apply(r.environment, f)
	}
	return r.journal.Do(f)
}

// awaitFault waits until a client has reacted to a fault that affects only it.
func (r *replayer) awaitFault(i int, f nemesis.Step) error {
	a := r.actors[i]
	switch f.Do {
	case nemesis.Crash:
		_, err := r.await(func() bool { return a.gone })
		return err
	case nemesis.Pause:
		a.paused, a.stopped = true, true
		return nil
	case nemesis.Unpause:
		a.paused = false
		now := r.now
		defer func() { r.now = now }()
		for _, f := range a.later {
			if err := f(); err != nil {
				return err
			}
		}
		a.later = nil
	}
	return r.awaitRest(i)
}

// ends lets clients see that their connections to a node have ended. It excludes clients that in
// the record sent a command over such a connection before they saw its end.
func (r *replayer) ends(node string) error {
	if _, err := r.await(func() bool { return r.net.ended(node) }); err != nil {
		return err
	}
	for client := range r.actors {
		if !r.loses(client, node) {
			r.net.tell(client, node)
		}
	}
	return r.waitUntil(r.environment.Now() + int64(hearsay))
}

// hearsay is ample time for the end of a connection to pass a proxy.
const hearsay = 10 * time.Millisecond

// failsIn reports whether a command fails in the record because its connection ends or does not
// exist.
func failsIn(all []turn, s counterexample.Step) bool {
	return slices.ContainsFunc(all, func(t turn) bool {
		return t.Kind == counterexample.Recv && t.Client == s.Client && t.Seq == s.Seq &&
			(broken(t.Loss) || t.Loss == history.NotSent)
	})
}

// sleepsIn reports whether a client sends nothing for a while after a command.
func sleepsIn(all []turn, s counterexample.Step) bool {
	for _, t := range all {
		if t.Kind == counterexample.Send && t.Client == s.Client {
			return t.At-s.At > history.Duration(time.Millisecond)
		}
	}
	return true
}

// broken reports whether a reply was lost because its connection or its call ended, and not because
// of a timeout or a missing connection.
func broken(l history.Loss) bool { return l == history.BrokenOff || l == history.Canceled }

// neverComes reports whether a command whose reply was lost will never reach the relay. There was
// no connection, or it ended before the command was through and no fault delays the command.
func (s *sentCommand) neverComes(l history.Loss) bool {
	return l == history.NotSent || broken(l) && !s.late
}
