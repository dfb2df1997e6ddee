package timeline

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// agrees compares what is drawn of a run with the record that its verdict rests on.
func agrees(t *testing.T, name string, r *store.Run) {
	t.Helper()
	v := reporttest.View(t, r)
	drawn, rec := New(v), record.Build(r.History)
	type hold struct{ Process, N, Key, Call, From, To int64 }
	var want, got []hold
	for _, h := range slices.Concat(rec.Holds, rec.Inner) {
		want = append(want, hold{int64(h.Process), int64(h.N), int64(h.Key), us(h.Call), us(h.From),
			us(h.End)})
	}
	for i, l := range drawn.Lanes {
		for _, h := range l.Holds {
			got = append(got, hold{int64(v.Clients[i]), h[5], h[6], h[0], h[1], h[2]})
		}
	}
	order := func(a, b hold) int {
		return slices.Compare([]int64{a.From, a.Process, a.N, a.Key}, []int64{b.From, b.Process, b.N,
			b.Key})
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: holds of the record (-) and drawn (+):\n%s", name, d)
	}
	var faults, bands [][3]int64
	for _, f := range rec.Faults {
		faults = append(faults, [3]int64{us(f.From), us(min(f.To, rec.End)), flag(f.Lasting)})
	}
	for _, b := range drawn.Faults {
		bands = append(bands, [3]int64{b.From, b.To, flag(b.Open)})
	}
	if d := cmp.Diff(faults, bands); d != "" {
		t.Errorf("%s: faults of the record (-) and drawn (+):\n%s", name, d)
	}
	overlapsAgree(t, name, v, drawn)
}

// overlapsAgree wants each overlap of the verdict drawn for its time, across two holds that last as
// long at least.
func overlapsAgree(t *testing.T, name string, v *view.View, drawn *Timeline) {
	t.Helper()
	for _, p := range v.Verdict.Properties {
		w := p.Witness
		if p.Verdict != checker.Violated || w == nil || w.Overlap == 0 || len(w.Holds) < 2 {
			continue
		}
		from, to := w.Holds[0].From, w.Holds[0].To
		for _, h := range w.Holds[1:] {
			from, to = max(from, h.From), min(to, h.To)
		}
		if to-from != int64(w.Overlap) {
			t.Errorf("%s, %s: the holds overlap for %d, the verdict says %d", name, p.Property, to-from,
				w.Overlap)
		}
		if !slices.ContainsFunc(drawn.Overlaps, func(o Overlap) bool {
			return !o.Point && o.From == us(from) && o.To == us(to)
		}) {
			t.Errorf("%s, %s: no overlap is drawn from %d to %d", name, p.Property, us(from), us(to))
		}
		for _, h := range w.Holds {
			lane := drawn.Lanes[slices.Index(v.Clients, h.Process)]
			if !slices.ContainsFunc(lane.Holds, func(d [10]int64) bool {
				return d[5] == int64(h.N) && d[1] <= us(from) && d[2] >= us(to) && d[8] == 1
			}) {
				t.Errorf("%s, %s: no hold %d of client %d is drawn around the overlap", name, p.Property,
					h.N, h.Process)
			}
		}
	}
}

// TestALastingFaultIsNotGuessed has faults that end with the run: only the record says which of
// them the harness took back.
func TestALastingFaultIsNotGuessed(t *testing.T) {
	fault := func(at int64, id int, phase string, lasted bool) history.Event {
		return history.Event{Type: history.Fault, T: at, Process: history.Harness, F: "cut", ID: id,
			Phase: phase, Target: "c0>n0", Lasted: lasted}
	}
	h := &history.History{Header: history.Header{Clients: 1}, Events: []history.Event{
		fault(1e6, 1, history.PhaseFrom, false), fault(2e6, 2, history.PhaseFrom, false),
		fault(3e6, 3, history.PhaseFrom, false), fault(99e6, 1, history.PhaseTo, false),
		fault(99e6, 2, history.PhaseTo, true),
		{Type: history.End, T: 100e6, Process: history.Harness},
	}}
	drawn := New(reporttest.View(t, &store.Run{History: h}))
	want := [][2]int64{{99000, 0}, {99000, 1}, {100000, 1}}
	var got [][2]int64
	for _, b := range drawn.Faults {
		got = append(got, [2]int64{b.To, flag(b.Open)})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("ends of faults (-want +got):\n%s", d)
	}
}
