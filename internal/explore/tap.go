package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/history"
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

// do notes a step that the harness carries out, and does it.
func (t *tapped) do(s nemesis.Step) error {
	t.note(s)
	if s.Do == nemesis.Promote {
		t.rec.overtaken = t.rec.overtaken || t.Behind(s.Target)
	}
	return nemesis.Apply(t.Environment, s)
}

// The powers of the environment, each noted.

// KillNode is nemesis.NodeKiller.
func (t *tapped) KillNode(n string) error {
	return t.do(nemesis.Step{Do: nemesis.KillNode, Target: n})
}

// StartNode is nemesis.NodeStarter.
func (t *tapped) StartNode(n string) error {
	return t.do(nemesis.Step{Do: nemesis.Start, Target: n})
}

// PauseNode is nemesis.NodePauser.
func (t *tapped) PauseNode(n string) error {
	return t.do(nemesis.Step{Do: nemesis.PauseNode, Target: n})
}

// ResumeNode is nemesis.NodePauser.
func (t *tapped) ResumeNode(n string) error {
	return t.do(nemesis.Step{Do: nemesis.ResumeNode, Target: n})
}

// SetNodeClock is nemesis.NodeClocker.
func (t *tapped) SetNodeClock(n string, offset time.Duration) error {
	return t.do(nemesis.Step{Do: nemesis.NodeClock, Target: n, Offset: history.Duration(offset)})
}

// Block is nemesis.NodeBlocker.
func (t *tapped) Block(n string) error { return t.do(nemesis.Step{Do: nemesis.Busy, Target: n}) }

// Free is nemesis.NodeBlocker.
func (t *tapped) Free(n string) error { return t.do(nemesis.Step{Do: nemesis.Free, Target: n}) }

// Stall is nemesis.NodeStaller.
func (t *tapped) Stall(n string, d time.Duration) error {
	return t.do(nemesis.Step{Do: nemesis.Stall, Target: n, For: history.Duration(d)})
}

// Promote is nemesis.Promoter.
func (t *tapped) Promote(n string) error {
	return t.do(nemesis.Step{Do: nemesis.Promote, Target: n})
}

// Barrier is nemesis.Replicator.
func (t *tapped) Barrier() error { return t.do(nemesis.Step{Do: nemesis.Barrier}) }

// Cut is nemesis.Linker.
func (t *tapped) Cut(link, mode string) error {
	return t.do(nemesis.Step{Do: nemesis.Cut, Target: link, Mode: mode})
}

// HoldBack is nemesis.Linker.
func (t *tapped) HoldBack(link, mode string) error {
	return t.do(nemesis.Step{Do: nemesis.HoldBack, Target: link, Mode: mode})
}

// Delay is nemesis.Linker.
func (t *tapped) Delay(link string, d time.Duration) error {
	return t.do(nemesis.Step{Do: nemesis.Delay, Target: link, For: history.Duration(d)})
}

// Refuse is nemesis.Linker.
func (t *tapped) Refuse(link string) error {
	return t.do(nemesis.Step{Do: nemesis.Refuse, Target: link})
}

// Reset is nemesis.Linker.
func (t *tapped) Reset(link string) error {
	return t.do(nemesis.Step{Do: nemesis.Reset, Target: link})
}

// Heal is nemesis.Linker.
func (t *tapped) Heal(link string) error {
	return t.do(nemesis.Step{Do: nemesis.Heal, Target: link})
}

// KillClient is nemesis.ClientKiller.
func (t *tapped) KillClient(c int) error { return t.toClient(nemesis.Crash, c) }

// PauseClient is nemesis.ClientPauser.
func (t *tapped) PauseClient(c int) error { return t.toClient(nemesis.Pause, c) }

// ResumeClient is nemesis.ClientPauser.
func (t *tapped) ResumeClient(c int) error { return t.toClient(nemesis.Unpause, c) }

func (t *tapped) toClient(do string, c int) error {
	return t.do(nemesis.Step{Do: do, Target: fmt.Sprintf("c%d", c)})
}
