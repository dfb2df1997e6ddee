package spec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/lab/spec"
)

// recorded is a run that a test changes.
type recorded struct {
	h       history.History
	trace   []history.Command
	options impls.Options
}

func record(t *testing.T, lock string) *recorded {
	p, err := harness.NewPlan(harness.RunOptions{Impl: lock, Nemesis: "none", Environment: "sim",
		Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := simrun.Job{Plan: p, Chooser: sim.Seeded{Seed: 1}}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := &recorded{r.History, r.Trace, p.Worker().Options()}
	if d := out.departs(); d != nil {
		t.Fatalf("%s as it is: %v", lock, d)
	}
	return out
}

func (r *recorded) departs() *spec.Departure { return spec.Validate(&r.h, r.trace, r.options) }

func (r *recorded) clone() *recorded {
	out := *r
	out.h.Events = slices.Clone(r.h.Events)
	for i, e := range out.h.Events {
		if e.Grant != nil {
			g := *e.Grant
			out.h.Events[i].Grant = &g
		}
	}
	out.trace = slices.Clone(r.trace)
	for i := range out.trace {
		out.trace[i].Args = slices.Clone(r.trace[i].Args)
	}
	return &out
}

// planted are the defects, each of one command or event in the middle of a run.
var planted = map[string]func(r *recorded, m *history.Command, granted, released *history.Event){
	"another key": func(_ *recorded, m *history.Command, _, _ *history.Event) {
		for i, a := range m.Args {
			if a == "lock:0" {
				m.Args[i] = "lock:1"
			}
		}
	},
	"another command": func(_ *recorded, m *history.Command, _, _ *history.Event) {
		m.Args[0] = "TOUCH"
	},
	"one argument more": func(_ *recorded, m *history.Command, _, _ *history.Event) {
		m.Args = append(m.Args, "XX")
	},
	"a command too many": func(r *recorded, m *history.Command, _, _ *history.Event) {
		twin := *m
		twin.Args = []string{"PERSIST", "lock:0"}
		r.trace = append(r.trace, twin)
	},
	"a command that is not sent": func(r *recorded, m *history.Command, _, _ *history.Event) {
		r.trace = slices.DeleteFunc(r.trace, func(o history.Command) bool {
			return o.Process == m.Process && o.Seq == m.Seq
		})
	},
	"a longer lease": func(_ *recorded, _ *history.Command, granted, _ *history.Event) {
		granted.Grant.Lease += 1e6
	},
	"a hold that began earlier": func(_ *recorded, _ *history.Command, granted, _ *history.Event) {
		granted.Grant.Sent = 1
	},
	"a grant without a reply": func(_ *recorded, m *history.Command, _, _ *history.Event) {
		m.Reply, m.Err = "", "EOF"
	},
	"a refusal after a grant": func(_ *recorded, _ *history.Command, granted, _ *history.Event) {
		granted.Type, granted.Grant = history.Fail, nil
	},
	"a release that failed": func(_ *recorded, _ *history.Command, _, released *history.Event) {
		released.Type = history.Info
	},
}

// TestPlanted: each page sees each defect.
func TestPlanted(t *testing.T) {
	for _, e := range impls.All() {
		if e.Control() || e.Name == "setnx-expire-lua-as-posted" { // which is never granted
			continue
		}
		r := record(t, e.Name)
		for name, plant := range planted {
			if e.Name == "redlock" && name == "a grant without a reply" {
				continue // a majority is left
			}
			t.Run(e.Name+"/"+name, func(t *testing.T) {
				x := r.clone()
				granted, released, m := x.middle(t)
				plant(x, m, granted, released)
				if d := x.departs(); d == nil {
					t.Errorf("not noticed: %v", m)
				}
			})
		}
	}
}

// middle is a hold in the middle of a run: its grant, the end of its release, and the first command
// that took it.
func (r *recorded) middle(t *testing.T) (granted, released *history.Event, took *history.Command) {
	for i := range r.h.Events {
		e := &r.h.Events[i]
		if e.Type != history.OK || e.F != history.Acquire || e.T < r.h.Events[len(r.h.Events)/4].T {
			continue
		}
		for j := i + 1; j < len(r.h.Events) && released == nil; j++ {
			o := &r.h.Events[j]
			if o.Process == e.Process && o.N == e.N && o.Type.Completes() && o.F == history.Release {
				granted, released = e, o
			}
		}
		for k := range r.trace {
			m := &r.trace[k]
			if m.Process == e.Process && m.Sent >= e.Grant.Sent && released != nil && took == nil {
				took = m
			}
		}
		if took != nil {
			return granted, released, took
		}
	}
	t.Fatal("the run has no hold that was released")
	return nil, nil, nil
}

// TestDamagedRuns: whatever a record says, an answer comes back.
func TestDamagedRuns(t *testing.T) {
	for _, e := range impls.All() {
		r := record(t, e.Name)
		random := rand.New(rand.NewPCG(1, 2))
		for range 100 {
			x := r.clone()
			for range 1 + random.IntN(5) {
				x.damage(random)
			}
			_ = fmt.Sprint(x.departs())
		}
	}
}

func (r *recorded) damage(random *rand.Rand) {
	if i := random.IntN(len(r.h.Events)); random.IntN(2) == 0 {
		r.h.Events = slices.Delete(r.h.Events, i, i+1)
		return
	}
	if len(r.trace) == 0 {
		return
	}
	i := random.IntN(len(r.trace))
	switch m := &r.trace[i]; random.IntN(4) {
	case 0:
		r.trace = slices.Delete(r.trace, i, i+1)
	case 1:
		m.Args = m.Args[:random.IntN(len(m.Args)+1)]
	case 2:
		m.Reply, m.Err = "(error) BUSY", ""
	default:
		m.Args = r.trace[random.IntN(len(r.trace))].Args
	}
}
