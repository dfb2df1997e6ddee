package harness

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// conductor carries out the steps of a scenario in order, and waits where a step says so.
type conductor struct {
	run    *run
	steps  []nemesis.Step
	at     int
	begun  bool        // the current step has been begun and is waited for
	until  int64       // world's clock at which a Wait is over
	gate   int         // number of the latest gate; each Await gets its own
	struck *standing   // who stands at the gate
	faults []openFault // lasting effects that have not ended
	nextID int
}

// standing is a client that waits at a gate.
type standing struct{ process, key int }

type openFault struct {
	event history.Event
	ended bool
}

// done reports whether every step has been carried out.
func (c *conductor) done() bool { return c.at >= len(c.steps) }

// wake is when the current step may be over without any report.
func (c *conductor) wake() int64 {
	if c.done() || !c.begun || c.steps[c.at].Do != nemesis.Wait {
		return never
	}
	return c.until
}

// advance carries out steps until one must be waited for.
func (c *conductor) advance() error {
	for !c.done() {
		s := c.steps[c.at]
		if !c.begun {
			if err := c.begin(s); err != nil {
				return fmt.Errorf("step %d %s: %w", c.at+1, s, err)
			}
			c.begun = true
		}
		if !c.over(s) {
			return nil
		}
		c.at, c.begun = c.at+1, false
	}
	return nil
}

// over reports whether what a step waits for has come.
func (c *conductor) over(s nemesis.Step) bool {
	switch {
	case s.Await != nil:
		return c.struck != nil && (!s.Await.Contended || c.run.contended(c.struck.process, c.struck.key))
	case s.Do == nemesis.Quiesce:
		return !c.run.busy()
	case s.Do == nemesis.Wait:
		return c.run.world.Now() >= c.until
	}
	return true
}

// begin starts a step; most are over at once.
func (c *conductor) begin(s nemesis.Step) error {
	switch {
	case s.Await != nil:
		c.await(*s.Await)
	case s.Do == nemesis.Quiesce, s.Do == nemesis.Resume:
		c.run.quiet = s.Do == nemesis.Quiesce
	case s.Do == nemesis.Wait:
		d, err := time.ParseDuration(s.For)
		c.until = c.run.world.Now() + int64(d)
		return err
	case s.Do == nemesis.Go:
		c.release()
	case s.Fault():
		return c.fault(s)
	case s.Do == nemesis.Heal:
		return c.heal(s)
	default:
		return nemesis.Apply(c.run.world, s)
	}
	return nil
}

// await arms a gate at the clients that the step names.
func (c *conductor) await(a nemesis.Await) {
	c.release()
	c.gate++
	c.each(a.Client, workloads.Order{Do: workloads.DoArm, Gate: &workloads.Gate{
		ID: c.gate, At: a.At, Phase: a.Phase, Command: a.Command, Nth: a.Nth,
	}})
}

// each sends an order to one client, or to all that live.
func (c *conductor) each(client int, o workloads.Order) {
	for i := range c.run.clients {
		if (client < 0 || client == i) && !c.run.clients[i].gone {
			c.run.world.Send(i, o)
		}
	}
}

// hit notes who came to the gate first. The others need not stop there.
func (c *conductor) hit(process int, g workloads.GateHit) {
	pass := workloads.Order{Do: workloads.DoGo, Gate: &workloads.Gate{ID: g.ID}}
	if g.ID != c.gate || c.struck != nil {
		c.run.world.Send(process, pass)
		return
	}
	c.struck = &standing{process, g.Key}
	for i := range c.run.clients {
		if i != process {
			c.each(i, pass)
		}
	}
}

// release lets whoever stands at the gate go on, and takes the gate down.
func (c *conductor) release() {
	if c.gate > 0 {
		c.each(-1, workloads.Order{Do: workloads.DoGo, Gate: &workloads.Gate{ID: c.gate}})
	}
	c.struck = nil
}

// fault carries out a step that does harm, and records its begin before and, unless it lasts, its end after it.
func (c *conductor) fault(s nemesis.Step) error {
	c.nextID++
	e := history.Event{
		Type: history.Fault, T: c.run.now(), Process: history.Harness, F: s.Do, Phase: history.PhaseFrom, ID: c.nextID,
		Target: s.Target, Strike: s.Strike,
	}
	if c.struck != nil {
		e.By = history.Ptr(c.struck.process)
	}
	if s.Target == nemesis.Struck {
		s.Target = fmt.Sprintf("c%d", c.struck.process)
		e.Target = s.Target
	}
	if err := c.run.record(e); err != nil {
		return err
	}
	if err := c.harm(s); err != nil {
		return err
	}
	if s.Lasts() {
		c.faults = append(c.faults, openFault{event: e})
		return nil
	}
	return c.end(e, "")
}

// harm does the deed itself. A client's kill is stamped before the signal is sent, so that its hold cannot outlast it in the record.
func (c *conductor) harm(s nemesis.Step) error {
	switch s.Do {
	case nemesis.Direct:
		c.each(-1, workloads.Order{Do: workloads.DoDirect, Node: s.Target})
		return nil
	case nemesis.Crash:
		i, err := nemesis.Client(s.Target)
		if err != nil {
			return err
		}
		c.run.clients[i].doomed = true
		if err := c.run.record(history.Event{Type: history.Kill, T: c.run.now(), Process: i}); err != nil {
			return err
		}
	}
	return nemesis.Apply(c.run.world, s)
}

// heal ends the lasting faults of a target.
func (c *conductor) heal(s nemesis.Step) error {
	if err := nemesis.Apply(c.run.world, s); err != nil {
		return err
	}
	for i := range c.faults {
		f := &c.faults[i]
		if !f.ended && f.event.Target == s.Target {
			f.ended = true
			if err := c.end(f.event, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// end records that the effect of a fault is over.
func (c *conductor) end(e history.Event, why string) error {
	e.Phase, e.T, e.Strike, e.By, e.Err = history.PhaseTo, c.run.now(), false, nil, why
	return c.run.record(e)
}

// close ends what still lasts at the end of the run.
func (c *conductor) close() {
	for _, f := range c.faults {
		if !f.ended {
			_ = c.end(f.event, "") // a run whose record cannot be written has failed already
		}
	}
}
