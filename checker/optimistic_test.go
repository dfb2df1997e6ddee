package checker

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestOptimistic lets two clients in at once, of which the second writes upon what the first has
// replaced: if that write is refused nothing is wrong, and if it is not an update is lost. A fault
// that befalls one of the two hits what it is aimed at.
func TestOptimistic(t *testing.T) {
	for _, c := range []struct {
		name    string
		second  history.Type // the outcome of the second write
		want    Result
		needs   int // refused writes
		refused int
	}{
		{"refused", history.Fail, Valid, 1, 1},
		{"never tried", history.Fail, Unknown, 2, 1},
		{"taken", history.OK, Violated, 1, 0},
		{"of unknown outcome", history.Info, Unknown, 1, 0},
	} {
		h := twoUpdates(c.second)
		h.Header.Requires.Conflicts = c.needs
		v := Check(h, nil, Options{Properties: []string{"S", "L", "O", "R", "N", "U"}})
		for _, p := range v.Properties {
			if want := NA; p.Property != LostUpdate && p.Verdict != want {
				t.Errorf("%s: %s is %s, not %s", c.name, p.Property, p.Verdict, want)
			}
		}
		u := v.Property(LostUpdate)
		if u.Verdict.String() != c.want.String() || v.Evidence.Conflicts != c.refused {
			t.Errorf("%s: U is %s (%s) with %d refused writes, not %s with %d", c.name, u.Verdict, u.Reason,
				v.Evidence.Conflicts, c.want, c.refused)
		}
		if v.Evidence.Hits != 1 {
			t.Errorf("%s: %d faults hit a client with another inside, not 1", c.name, v.Evidence.Hits)
		}
		if v.Porcupine.Result == "" {
			t.Errorf("%s: porcupine was not asked", c.name)
		}
		m := NewMonitor(h.Header)
		for _, e := range h.Events {
			m.Add(e)
		}
		if len(m.Violated()) > 0 {
			t.Errorf("%s: the monitor takes two inside for a violation", c.name)
		}
	}
}

// TestATransactionIsJudgedByItsWrites lets a client in after the write of another that has not
// released yet: the write was its commit. Two writes upon one read are a lost update all the same.
func TestATransactionIsJudgedByItsWrites(t *testing.T) {
	const second = "; c1 acquire 11 15; c1 release 16 18; c0 release 19 20"
	for told, want := range map[string]Result{
		"c0 acquire 1 5; c0 read 6 7 value=3; c0 write 8 9 value=4" + second: Valid,
		"c0 acquire 1 5; c0 read 6 7 value=3; c0 write 8 9 value=4; c1 acquire 2 3; c1 read 4 5 " +
			"value=3; c1 write 10 12 value=4; c1 release 16 18; c0 release 19 20": Violated,
	} {
		h := story(t, told)
		h.Header.Workload, h.Header.Declares.Transaction = "transaction", true
		v := Check(h, nil, Options{Properties: []string{"S", "L", "U"}})
		s, l, u := v.Property(MutualExclusion), v.Property(LeaseExclusion), v.Property(LostUpdate)
		if s.Verdict != NA || l.Verdict != NA || u.Verdict != want {
			t.Errorf("%s: S %s, L %s, U %s", told, s.Verdict, l.Verdict, u.Verdict)
		}
		m := NewMonitor(h.Header)
		for _, e := range h.Events {
			m.Add(e)
		}
		if len(m.Violated()) > 0 {
			t.Errorf("%s: the monitor takes two inside for a violation", told)
		}
	}
}

// TestAStrikeOfAnOptimisticLock hits a client that has a rival inside, and no other: none waits.
func TestAStrikeOfAnOptimisticLock(t *testing.T) {
	for rival, hits := range map[string]int{
		"":                                       0, // it is alone
		"c1 acquire 2 6; c1 release 96 97":       1,
		"c1 acquire 20 30; c1 release 96 97":     0, // it comes later
		"c1 acquire 2 6; c1 release 7 8":         0, // it has gone
		"c1 acquire 2 6 key=1; c1 release 7 8":   0,
		"c1 acquire 2 6 key=1; c1 release 96 97": 0, // it wants something else
	} {
		h := story(t, "c0 acquire 1 5; fault pause c0 10 90 strike; c0 release 91 92; "+rival)
		h.Header.Declares.Optimistic = true
		if v := Check(h, nil, Options{}); v.Evidence.Hits != hits {
			t.Errorf("with %q: %d hits, not %d", rival, v.Evidence.Hits, hits)
		}
	}
	h := story(t, "c0 acquire 1 5 shared; fault pause c0 10 90 strike; c0 release 91 92; "+
		"c1 acquire 2 6 shared; c1 release 96 97")
	if v := Check(h, nil, Options{}); v.Evidence.Hits != 0 {
		t.Errorf("two readers, and no lock is optimistic: %d hits", v.Evidence.Hits)
	}
	h = story(t, "c0 acquire 1 5; c0 read 6 7 fail; c0 write 8 9 value=1 fail; c0 release 91 92")
	h.Header.Declares.Optimistic = true
	if v := Check(h, nil, Options{}); v.Evidence.Conflicts != 1 {
		t.Errorf("a read and a write failed: %d refused writes, not 1", v.Evidence.Conflicts)
	}
}

// twoUpdates is a history of two clients that read the same number, and write one after the other.
func twoUpdates(second history.Type) *history.History {
	h := &history.History{Header: history.Header{Environment: "test", Clients: 2,
		Declares: history.Declares{Optimistic: true}, Properties: []string{"S", "L", "U"}}}
	now := int64(0)
	call := func(process int, f string, value *int64, outcome history.Type) {
		now += 10
		for i, typ := range []history.Type{history.Invoke, outcome} {
			h.Events = append(h.Events, history.Event{Type: typ, T: now + int64(i), Process: process,
				F: f, N: 1, Value: value})
		}
	}
	for _, process := range []int{0, 1} {
		call(process, history.Acquire, nil, history.OK)
		call(process, history.ReadOp, history.Ptr(int64(7)), history.OK)
	}
	for i, phase := range []string{history.PhaseFrom, history.PhaseTo} {
		h.Events = append(h.Events, history.Event{Type: history.Fault, T: now + 5 + int64(i), Process: -1,
			F: "pause", Target: "c0", Phase: phase, ID: 1, Aimed: true})
	}
	call(0, history.WriteOp, history.Ptr(int64(8)), history.OK)
	call(1, history.WriteOp, history.Ptr(int64(8)), second)
	for _, process := range []int{0, 1} {
		call(process, history.Release, nil, history.OK)
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: now + 10, Process: -1})
	slices.SortStableFunc(h.Events, func(a, b history.Event) int { return int(a.T - b.T) })
	return h
}
