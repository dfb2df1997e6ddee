package explore

import (
	"context"
	"fmt"

	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// tapped is a simulated environment that tells a recorder what its clients report and what is done
// to it.
type tapped struct {
	*sim.Environment
	rec *recorder
}

// Next is harness.Environment.
func (t *tapped) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	rep, ok := t.Environment.Next(ctx, deadline)
	switch {
	case !ok:
	case rep.Command != nil:
		t.rec.command(*rep.Command)
	case rep.Event != nil:
		if phase := markOf(*rep.Event); phase != "" {
			e := rep.Event
			t.rec.step(e.T, Step{Kind: Mark, Client: rep.Process, N: e.N, Phase: phase, Reply: e.Err})
		}
	}
	return rep, ok
}

// Send is harness.Environment.
func (t *tapped) Send(client int, o workloads.Order) {
	name := fmt.Sprintf("c%d", client)
	switch o.Do {
	case workloads.DoRedirect:
		t.note(nemesis.Step{Do: nemesis.Redirect, Target: name, Node: o.Node})
	case workloads.DoClock:
		t.note(nemesis.Step{Do: nemesis.ClientClock, Target: name, Offset: o.Offset, Rate: o.Rate})
	case workloads.DoArm:
		if o.Breakpoint.Command == Anywhere {
			t.rec.armed = &gate{client, o.Breakpoint.ID}
			return
		}
	}
	t.Environment.Send(client, o)
}

func (t *tapped) note(s nemesis.Step) {
	t.rec.step(t.Now(), Step{Kind: Fault, Fault: &s})
}

// Observe is nemesis.Observer: it notes what the harness does to the environment.
func (t *tapped) Observe(s nemesis.Step) {
	s.Await, s.Aimed = nil, false
	if s.Do != nemesis.Delay && s.Do != nemesis.Stall {
		s.For = 0
	}
	t.note(s)
	if s.Do == nemesis.Promote {
		t.rec.overtaken = t.rec.overtaken || t.Behind(s.Target)
	}
}
