package batch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/history"
)

func at(t history.Type, ms int64, process int, f string) history.Event {
	return history.Event{Type: t, T: ms * int64(time.Millisecond), Process: process, F: f}
}

func TestCost(t *testing.T) {
	fault := at(history.Fault, 20, history.Harness, "pause")
	fault.Phase, fault.Aimed = history.PhaseFrom, true
	nested := at(history.OK, 15, 0, history.Acquire)
	nested.Depth = 1
	atTheEnd := at(history.Fail, 200, 1, history.Acquire)
	atTheEnd.Why = history.CalledOff
	h := &history.History{Events: []history.Event{
		at(history.Invoke, 0, 0, history.Acquire), at(history.Invoke, 0, 1, history.Acquire),
		at(history.OK, 10, 0, history.Acquire),
		nested, fault, at(history.OK, 90, 1, history.Acquire), at(history.Invoke, 95, 0,
			history.Acquire), at(history.Fail, 99, 0, history.Acquire),
		at(history.Invoke, 100, 1, history.Acquire), atTheEnd,
		at(history.End, 1000, history.Harness, ""),
	}}
	s := Measure(h, make([]history.Command, 8))
	want := Cost{Grants: 2, Ungranted: new(1), AcquireP50: ms(10), AcquireP99: ms(90),
		Throughput: 2, Commands: 4, Recovery: ms(70)}
	if d := cmp.Diff(want, Join(s)); d != "" {
		t.Error(d)
	}
	want = Cost{Grants: 4, Ungranted: new(2), AcquireP50: ms(10), AcquireP99: ms(90),
		Throughput: 2, Commands: 4, Recovery: ms(70)}
	if d := cmp.Diff(want, Join(s, s)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Cost{}, Join(Measure(&history.History{}, nil))); d != "" {
		t.Error(d)
	}
}

func ms(n int) history.Duration { return history.Duration(time.Duration(n) * time.Millisecond) }
