package explore

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// fault does something to the environment. What delays messages between clients and nodes is in the
// recorded order already.
func (p *player) fault(f nemesis.Step) error {
	if err := p.inflict(f); err != nil {
		return err
	}
	switch f.Do {
	case nemesis.KillNode:
		return p.ends(f.Target)
	case nemesis.Cut, nemesis.HoldBack, nemesis.Refuse, nemesis.Reset:
		p.hurt = append(p.hurt, f)
	case nemesis.Heal:
		p.hurt = slices.DeleteFunc(p.hurt, func(s nemesis.Step) bool {
			return s.Target == f.Target ||
				f.Target == "*"
		})
	}
	if i, err := nemesis.Client(f.Target); err == nil && i < len(p.actors) {
		return p.after(i, f)
	}
	return nil
}

func (p *player) inflict(f nemesis.Step) error {
	switch {
	case f.Do == nemesis.Delay && strings.HasPrefix(f.Target, "c"), f.Do == nemesis.Delay &&
		strings.HasPrefix(f.Target, "*"):
		return p.journal.Note(f)
	case !f.Fault() && !f.Repairs():
		return nemesis.Apply(p.environment, f)
	}
	return p.journal.Do(f)
}

// after is what follows for a client to which something was done.
func (p *player) after(i int, f nemesis.Step) error {
	a := p.actors[i]
	switch f.Do {
	case nemesis.Crash:
		_, err := p.await(func() bool { return a.gone })
		return err
	case nemesis.Pause:
		a.paused, a.stopped = true, true
		return nil
	case nemesis.Unpause:
		a.paused = false
		now := p.now
		defer func() { p.now = now }()
		for _, f := range a.later {
			if err := f(); err != nil {
				return err
			}
		}
		a.later = nil
	}
	return p.rest(i)
}

// ends lets clients see that their connections to a node have ended, but for those who in the
// record sent something over one before they saw it.
func (p *player) ends(node string) error {
	if _, err := p.await(func() bool { return p.net.ended(node) }); err != nil {
		return err
	}
	for _, l := range p.net.ends() {
		if l.node == node && !p.loses(l.client, node) {
			p.net.tell(l)
		}
	}
	return p.until(p.environment.Now() + int64(hearsay))
}

// hearsay is ample for the end of a connection to come through a proxy.
const hearsay = 10 * time.Millisecond

// loses reports whether what a client sends next to a node is lost with the connection.
func (p *player) loses(client int, node string) bool {
	seq := 0
	for _, t := range p.turns[p.now:] {
		switch {
		case t.Client != client || t.Node != node:
		case t.Kind == Send && seq == 0:
			seq = t.Seq
		case t.Kind == Recv && t.Seq == seq && seq > 0:
			return broken(t.Err)
		}
	}
	return false
}

// broken reports whether an error is the end of a connection, and not that nobody answered in time
// or took the connection.
func broken(err string) bool {
	return err != "" && !isTimeout(err) && !strings.Contains(err, "dial")
}
