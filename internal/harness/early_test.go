package harness_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// open is an environment whose lock keeps no client out.
type open struct {
	*fake
	name string
	told []departure
}

// departure is a client that was told to leave.
type departure struct {
	client int
	at     int64
}

func (o *open) Name() string { return o.name }

func (o *open) Send(c int, order workloads.Order) {
	switch order.Do {
	case workloads.DoCycle:
		o.cycle[c] = order
		o.event(c, history.Invoke, history.Acquire)
		o.event(c, history.OK, history.Acquire)
		o.leave(c)
	case workloads.DoLeave:
		o.told = append(o.told, departure{c, o.now})
		o.queue = slices.DeleteFunc(o.queue, func(s scheduled) bool { return s.r.Process == c })
		o.cycle[c] = workloads.Order{N: o.cycle[c].N}
		o.leave(c)
	}
}

// TestWhoIsInsideWithAnotherLeavesEarly: the older one after a quarter of its hold, so that a
// picture shows both, and then the younger; but not where all evidence is wanted, or where time
// costs nothing.
func TestWhoIsInsideWithAnotherLeavesEarly(t *testing.T) {
	for _, c := range []struct {
		name     string
		thorough bool
		told     bool
	}{{"fake", false, true}, {"fake", true, false}, {"sim", false, false}} {
		p, err := harness.NewPlan(harness.RunOptions{Impl: "token-lua", Nemesis: "none", Seed: 1,
			Clients: 2, Thorough: c.thorough})
		if err != nil {
			t.Fatal(err)
		}
		o, out := &open{fake: newFake(), name: c.name}, bytes.Buffer{}
		err = harness.Run(t.Context(), p, o, harness.Output{History: &out, Trace: &bytes.Buffer{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(o.told) > 1; got != c.told {
			t.Fatalf("%+v: %d told", c, len(o.told))
		} else if !got {
			continue
		}
		older, younger := o.told[0], o.told[1]
		if d := time.Duration(older.at) - p.Hold.D()/4; d < 0 || d > time.Millisecond {
			t.Errorf("the older one was told at %v of %v", time.Duration(older.at), p.Hold)
		}
		if older.client == younger.client || younger.at <= older.at ||
			younger.at > older.at+int64(time.Millisecond) {
			t.Errorf("%+v, then %+v", older, younger)
		}
	}
}
