package harness

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// effects injects faults and keeps the list of faults in force.
type effects struct {
	plan        *Plan
	clients     *clients
	record      *record
	breakpoints *breakpoints
	faults      []history.Event // in force, each as its first event
	nextID      int
}

// fault carries out a step that changes the environment. It records the start before and, unless
// the effect lasts, the end after it.
func (x *effects) fault(s nemesis.Step) error { return x.recordAround(s, x.inflict) }

// recordAround records the start of a fault, carries it out, and records the end unless the effect
// lasts.
func (x *effects) recordAround(s nemesis.Step, do func(nemesis.Step) error) error {
	x.nextID++
	e := history.Event{
		Type: history.Fault, T: x.record.now(), Process: history.Harness, F: s.Do,
		Phase: history.PhaseFrom, ID: x.nextID, Target: s.Target, Mode: s.Mode,
		Aimed: s.Aimed,
	}
	if s.Do == nemesis.Redirect {
		e.Target = s.Node
	}
	if a, _ := nemesis.ActionOf(s.Do); a.Again {
		e.Offset, e.Rate = &s.Offset, s.Rate
	}
	if by := x.breakpoints.by(); by >= 0 {
		e.By = &by
	}
	if err := x.record.add(e); err != nil {
		return err
	}
	if err := do(s); err != nil {
		return err
	}
	if err := x.slow(e); err != nil {
		return err
	}
	if !s.Lasts() {
		return x.end(e)
	}
	// setting a clock ends the earlier faults of that clock
	if a, _ := nemesis.ActionOf(s.Do); a.Again {
		if err := x.endAll(func(f history.Event) bool {
			return (f.F == s.Do || f.F == nemesis.StopClock && s.Do == nemesis.NodeClock) &&
				(f.Target == s.Target || s.Target == "*")
		}); err != nil {
			return err
		}
		if s.Offset == 0 && s.Rate == 0 && s.Do != nemesis.StopClock {
			return x.end(e)
		}
	}
	x.faults = append(x.faults, e)
	return nil
}

// slow records the duration of an action that took longer than a quarter of the lease. A client at
// a breakpoint waited all that time, which the plan did not ask for.
func (x *effects) slow(e history.Event) error {
	now := x.record.now()
	if took := now - e.T; took > int64(x.plan.TTL)/4 {
		return x.record.add(history.Event{Type: history.Gap, T: now, Process: history.Harness, F: e.F,
			Target: e.Target, Gap: history.Duration(took)})
	}
	return nil
}

// adopt gives a number to a fault that the environment reports by itself, such as a promotion by
// sentinels. The number connects its start with its end.
func (x *effects) adopt(e *history.Event) {
	if e.Phase == history.PhaseFrom {
		x.nextID++
		e.ID = x.nextID
		x.faults = append(x.faults, *e)
		return
	}
	i := slices.IndexFunc(x.faults, func(f history.Event) bool {
		return f.F == e.F &&
			f.Target == e.Target
	})
	if i >= 0 {
		e.ID = x.faults[i].ID
		x.faults = slices.Delete(x.faults, i, i+1)
	}
}

// inflict changes the environment. It records a client's kill before it sends the signal, so that
// no hold outlasts the client in the record.
func (x *effects) inflict(s nemesis.Step) error {
	switch s.Do {
	case nemesis.Redirect:
		x.breakpoints.sendAll(s.Target, workloads.Order{Do: workloads.DoRedirect, Node: s.Node})
		return nil
	case nemesis.Drop, nemesis.Strand, nemesis.Duplicate:
		x.breakpoints.sendAll(s.Target, workloads.Order{Do: workloads.DoMessage, Body: s.Do})
		return nil
	case nemesis.Cancel:
		if i, err := nemesis.Client(s.Target); err == nil {
			x.clients.leave(i)
		}
		x.breakpoints.sendAll(s.Target, workloads.Order{Do: workloads.DoCancel})
		return nil
	case nemesis.ClientClock:
		x.breakpoints.sendAll(s.Target, workloads.Order{Do: workloads.DoClock, Offset: s.Offset,
			Rate: s.Rate})
		return nil
	case nemesis.Crash:
		i, err := nemesis.Client(s.Target)
		if err != nil {
			return err
		}
		x.clients.all[i].doomed = true
		kill := history.Event{Type: history.Kill, T: x.record.now(), Process: i}
		if err := x.record.add(kill); err != nil {
			return err
		}
	}
	if err := nemesis.Apply(x.record.environment, s); err != nil {
		return err
	}
	return nemesis.Prove(x.record.environment, s)
}

// repair undoes lasting faults, and records that their effect is over. The target "*" means all
// faults of the kind.
func (x *effects) repair(s nemesis.Step) error {
	if err := nemesis.Apply(x.record.environment, s); err != nil {
		return err
	}
	return x.undone(s)
}

// undone records that the effect of faults is over.
func (x *effects) undone(s nemesis.Step) error {
	return x.endAll(func(f history.Event) bool {
		return s.Undoes(f.F) &&
			(s.Target == "*" || s.Target == f.Target)
	})
}

// endAll records that the effect of these faults is over.
func (x *effects) endAll(which func(history.Event) bool) error {
	var last []history.Event
	for _, f := range x.faults {
		if !which(f) {
			last = append(last, f)
			continue
		}
		if err := x.end(f); err != nil {
			return err
		}
	}
	x.faults = last
	return nil
}

// serverIsDead reports whether a server that was killed is still dead.
func (x *effects) serverIsDead() bool {
	return slices.ContainsFunc(x.faults, func(f history.Event) bool {
		a, _ := nemesis.ActionOf(f.F)
		return a.Kills && a.Target == nemesis.Node
	})
}

// unfreeze resumes everything that was stopped, so that clients can finish their cycles.
func (x *effects) unfreeze() error {
	for _, f := range append([]history.Event(nil), x.faults...) {
		if a, _ := nemesis.ActionOf(f.F); a.Stops {
			if err := x.repair(nemesis.Step{Do: a.Undo[0], Target: f.Target}); err != nil {
				return err
			}
		}
	}
	return nil
}

// end records that the effect of a fault is over.
func (x *effects) end(e history.Event) error {
	e.Phase, e.T, e.Aimed, e.By = history.PhaseTo, x.record.now(), false, nil
	e.Offset, e.Rate = nil, 0
	return x.record.add(e)
}

// close records the end of faults that still last at the end of the run. Nothing undoes them
// earlier than the end of the environment.
func (x *effects) close() {
	for _, f := range x.faults {
		f.Lasted = true
		_ = x.end(f) // a run whose record cannot be written has failed already
	}
}
