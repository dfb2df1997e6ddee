package timeline

import (
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

func (t *Timeline) clientLanes(v *view.View, clients []int) {
	at := map[int]*lane{}
	first := len(t.Lanes)
	for _, p := range clients {
		t.Lanes = append(t.Lanes, lane{Label: view.Who(p), Kind: "client", Witness: v.Taking(p)})
	}
	for i, p := range clients {
		at[p] = &t.Lanes[first+i]
	}
	if len(t.Detail) != 1 || t.Detail[0] != [2]int64{0, t.End} {
		t.sums(v, at)
	}
	t.waits(v, at)
	t.holds(v, at)
	t.marks(v, at)
}

// waits draws the acquire calls that granted nothing, as far as known.
func (t *Timeline) waits(v *view.View, at map[int]*lane) {
	for i := range v.Calls {
		c := &v.Calls[i]
		if l := at[c.Process]; l != nil && c.Outcome != history.OK && t.detailed(c.From, c.To) {
			l.Waits = append(l.Waits, [6]int64{us(c.From), us(c.To), outcomes[c.Outcome], int64(c.N),
				int64(c.Keys[0]), t.text(page.Clean(c.Err, 100))})
		}
	}
}

func (t *Timeline) holds(v *view.View, at map[int]*lane) {
	drawn, left := 0, 0
	all := v.Grants()
	for i := range all {
		h := &all[i]
		l := at[h.Process]
		if l == nil || !t.detailed(h.Call, h.End) {
			continue
		}
		in := slices.ContainsFunc(v.Violations, func(w *view.Violation) bool {
			return w.HasHold(h.Process, h.N)
		})
		if drawn++; drawn > maxHolds && !in {
			left++
			continue
		}
		l.Holds = append(l.Holds, t.hold(h, in))
	}
	if left > 0 {
		t.leave("%s", units.Count(left, "hold"))
	}
}

// hold draws a hold for exactly the time that the checker assumes.
func (t *Timeline) hold(h *record.Hold, in bool) [10]int64 {
	text := view.Ending(h)
	if h.Node != "" {
		text = "granted by " + page.Clean(h.Node, 40) + "; " + text
	}
	d := [10]int64{us(h.Call), us(h.From), us(h.End), -1, 0, int64(h.N), int64(h.Key), t.text(text),
		flag(in), flag(view.Orderly(h))}
	if lease := h.BelievedEnd(); lease != record.Forever {
		d[3] = us(lease)
	}
	if h.Returned != record.Forever {
		d[4] = us(h.Returned)
	}
	return d
}

func flag(is bool) int64 { return int64(batch.Truth(is)) }

func (t *Timeline) marks(v *view.View, at map[int]*lane) {
	kept := 0
	for _, e := range v.Marks {
		l, text := at[e.Process], v.MarkText(e)
		if l != nil && text != "" && (kept < maxMarks || e.Type == history.Kill) && t.detailed(e.T, e.T) {
			kept++
			kind, ok := marks[e.Type]
			if !ok {
				kind = marks[history.Extend]
			}
			l.Marks = append(l.Marks, [3]int64{us(e.T), kind, t.text(text)})
		}
	}
}

// sums gives each lane what its client did per bin, for the times without detail.
func (t *Timeline) sums(v *view.View, at map[int]*lane) {
	bins := min(1500, max(100, maxBins/max(1, len(at))))
	width := float64(t.End) / float64(bins)
	within := map[*lane][]float64{}
	for _, l := range at {
		within[l] = make([]float64, bins)
		l.Bins = make([]int64, 2*bins)
	}
	for _, h := range v.Grants() {
		l := at[h.Process]
		if l == nil {
			continue
		}
		from, to := float64(us(h.From)), float64(us(h.End))
		b := min(bins-1, int(from/width))
		l.Bins[2*b+1]++
		for ; b < bins && float64(b)*width < to; b++ {
			within[l][b] += max(0, min(to, float64(b+1)*width)-max(from, float64(b)*width))
		}
	}
	for l, inside := range within {
		for b, time := range inside {
			l.Bins[2*b] = int64(min(1000, math.Round(1000*time/width)))
		}
	}
}
