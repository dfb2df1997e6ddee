package replay

import (
	"fmt"
	"path"
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

// course is the record that a replay follows, and how far it has come.
type course struct {
	turns []turn
	now   int // index of the current turn
}

// divergence is the error for a step that was replaced by something else.
type divergence struct {
	step          int // from 0
	expected, got string
}

func (d *divergence) Error() string {
	return fmt.Sprintf("diverged at step %d: expected %s, got %s", d.step+1, d.expected, d.got)
}

func (c *course) diverged(s counterexample.Step, got string, args ...any) error {
	return &divergence{c.turns[c.now].number, s.Action(), fmt.Sprintf(got, args...)}
}

// dialTime is how long a simulated client takes to connect.
const dialTime = 20 * time.Microsecond

// redirected reports whether the record redirects a client while it connects.
func (c *course) redirected(client int) bool {
	return slices.ContainsFunc(c.turns[min(c.now+1, len(c.turns)):], func(t turn) bool {
		return t.At-c.turns[c.now].At <= history.Duration(dialTime) &&
			t.Kind == counterexample.Fault && t.Fault.Do == nemesis.Redirect &&
			t.Fault.Target == fmt.Sprintf("c%d", client)
	})
}

// loses reports whether the next command of a client to a node is lost with the connection.
func (c *course) loses(client int, node string) bool {
	seq := 0
	for _, t := range c.turns[c.now:] {
		switch {
		case t.Client != client || t.Node != node:
		case t.Kind == counterexample.Send && seq == 0:
			seq = t.Seq
		case t.Kind == counterexample.Recv && t.Seq == seq && seq > 0:
			return broken(t.Loss)
		}
	}
	return false
}

// disturbances are the faults of links that are not undone yet.
type disturbances []nemesis.Step

// add takes a fault in, or removes those that it undoes.
func (d *disturbances) add(f nemesis.Step) {
	switch f.Do {
	case nemesis.Cut, nemesis.HoldBack, nemesis.Refuse, nemesis.Reset:
		*d = append(*d, f)
	case nemesis.Heal:
		*d = slices.DeleteFunc(*d, func(s nemesis.Step) bool {
			return s.Target == f.Target || f.Target == "*"
		})
	}
}

// reach reports whether a fault affects a client's links to a node.
func (d disturbances) reach(client int, node string) bool {
	return slices.ContainsFunc(d, func(s nemesis.Step) bool {
		first, _ := path.Match(s.Target, fmt.Sprintf("c%d>%s", client, node))
		second, _ := path.Match(s.Target, fmt.Sprintf("c%d+>%s", client, node))
		return first || second
	})
}
