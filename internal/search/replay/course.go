package replay

import (
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

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

// diverged returns the error for the current step.
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
