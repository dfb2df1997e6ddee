package harness

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// effects are the faults that are in force, as the record has them.
type effects struct {
	faults []history.Event // their begins
	nextID int
}

// fault carries out a step that changes the environment, and records its begin before and, unless
// it lasts, its end after it.
func (c *nemesisRunner) fault(s nemesis.Step) error { return c.recordAround(s, c.inflict) }

// recordAround records the begin of a fault, carries it out, and records what follows.
func (c *nemesisRunner) recordAround(s nemesis.Step, do func(nemesis.Step) error) error {
	c.nextID++
	e := history.Event{
		Type: history.Fault, T: c.run.now(), Process: history.Harness, F: s.Do, Phase: history.PhaseFrom,
		ID:     c.nextID,
		Target: s.Target, Aimed: s.Aimed,
	}
	if s.Do == nemesis.Redirect {
		e.Target = s.Node
	}
	if by := c.by(); by >= 0 {
		e.By = &by
	}
	if err := c.run.record(e); err != nil {
		return err
	}
	if err := do(s); err != nil {
		return err
	}
	if err := c.slow(e); err != nil {
		return err
	}
	if !s.Lasts() {
		return c.end(e)
	}
	// a clock is set, whatever was wrong with it before
	if a, _ := nemesis.ActionOf(s.Do); a.Again {
		if err := c.endAll(func(f history.Event) bool {
			return (f.F == s.Do || f.F == nemesis.StopClock && s.Do == nemesis.NodeClock) &&
				(f.Target == s.Target || s.Target == "*")
		}); err != nil {
			return err
		}
		if s.Offset == 0 && s.Rate == 0 && s.Do != nemesis.StopClock {
			return c.end(e)
		}
	}
	c.faults = append(c.faults, e)
	return nil
}

// slow records how long an action took that lasted longer than a quarter of the lease: a client
// that stands at a breakpoint stood for as long, which the plan did not ask for.
func (c *nemesisRunner) slow(e history.Event) error {
	now := c.run.now()
	if took := now - e.T; took > int64(c.run.plan.TTL)/4 {
		return c.run.record(history.Event{Type: history.Gap, T: now, Process: history.Harness, F: e.F,
			Target: e.Target, Gap: history.Duration(took)})
	}
	return nil
}

// adopt gives a number to a fault that the environment reports by itself (sentinels promote), so
// that its begin has an end.
func (c *nemesisRunner) adopt(e *history.Event) {
	if e.Phase == history.PhaseFrom {
		c.nextID++
		e.ID = c.nextID
		c.faults = append(c.faults, *e)
		return
	}
	i := slices.IndexFunc(c.faults, func(f history.Event) bool {
		return f.F == e.F &&
			f.Target == e.Target
	})
	if i >= 0 {
		e.ID = c.faults[i].ID
		c.faults = slices.Delete(c.faults, i, i+1)
	}
}

// by is the client whose breakpoint triggered what is done now: the one that stands there, or of
// several with names the one that has stood longest; else -1.
func (c *nemesisRunner) by() int {
	if c.stopped != nil {
		return c.stopped.process
	}
	first := namedStop{standing: standing{process: -1}}
	for _, p := range c.named {
		if p.breakpoint > 0 && (first.breakpoint == 0 || p.breakpoint < first.breakpoint) {
			first = p
		}
	}
	return first.process
}

// inflict changes the environment. A client's kill is stamped before the signal is sent, so that
// its hold cannot outlast it in the record.
func (c *nemesisRunner) inflict(s nemesis.Step) error {
	switch s.Do {
	case nemesis.Redirect:
		c.all(s.Target, workloads.Order{Do: workloads.DoRedirect, Node: s.Node})
		return nil
	case nemesis.Drop, nemesis.Strand, nemesis.Duplicate:
		c.all(s.Target, workloads.Order{Do: workloads.DoMessage, Body: s.Do})
		return nil
	case nemesis.ClientClock:
		c.all(s.Target, workloads.Order{Do: workloads.DoClock, Offset: s.Offset, Rate: s.Rate})
		return nil
	case nemesis.Crash:
		i, err := nemesis.Client(s.Target)
		if err != nil {
			return err
		}
		c.run.clients[i].doomed = true
		if err := c.run.record(history.Event{Type: history.Kill, T: c.run.now(), Process: i}); err !=
			nil {
			return err
		}
	}
	if err := nemesis.Apply(c.run.environment, s); err != nil {
		return err
	}
	return nemesis.Prove(c.run.environment, s)
}

// repair undoes lasting faults, and records that their effect is over. For "*" these are all of the
// kind.
func (c *nemesisRunner) repair(s nemesis.Step) error {
	if err := nemesis.Apply(c.run.environment, s); err != nil {
		return err
	}
	return c.undone(s)
}

// undone records that the effect of faults is over.
func (c *nemesisRunner) undone(s nemesis.Step) error {
	return c.endAll(func(f history.Event) bool {
		return s.Undoes(f.F) &&
			(s.Target == "*" || s.Target == f.Target)
	})
}

// endAll records that the effect of these faults is over.
func (c *nemesisRunner) endAll(which func(history.Event) bool) error {
	var last []history.Event
	for _, f := range c.faults {
		if !which(f) {
			last = append(last, f)
			continue
		}
		if err := c.end(f); err != nil {
			return err
		}
	}
	c.faults = last
	return nil
}

// lost reports whether a server that was killed is still dead.
func (c *nemesisRunner) lost() bool {
	return slices.ContainsFunc(c.faults, func(f history.Event) bool {
		a, _ := nemesis.ActionOf(f.F)
		return a.Kills && a.Target == nemesis.Node
	})
}

// unfreeze lets everything run again that was stopped, so that clients can finish what they are
// inside of.
func (c *nemesisRunner) unfreeze() error {
	for _, f := range append([]history.Event(nil), c.faults...) {
		if a, _ := nemesis.ActionOf(f.F); a.Stops {
			if err := c.repair(nemesis.Step{Do: a.Undo[0], Target: f.Target}); err != nil {
				return err
			}
		}
	}
	return nil
}

// end records that the effect of a fault is over.
func (c *nemesisRunner) end(e history.Event) error {
	e.Phase, e.T, e.Aimed, e.By = history.PhaseTo, c.run.now(), false, nil
	return c.run.record(e)
}

// close ends in the record what still lasts at the end of the run; the environment's own end undoes
// it.
func (c *nemesisRunner) close() {
	for _, f := range c.faults {
		f.Lasted = true
		_ = c.end(f) // a run whose record cannot be written has failed already
	}
}
