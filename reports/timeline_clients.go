package reports

import (
	"math"
	"slices"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

func (t *timeline) clientLanes(r *View, clients []int) {
	at := map[int]int{}
	for i, p := range clients {
		at[p] = i
		t.Lanes = append(t.Lanes, lane{Label: who(p), Kind: "client", Witness: taking(r.violations, p)})
	}
	if len(t.Detail) != 1 || t.Detail[0] != [2]int64{0, t.End} {
		t.sums(r, at)
	}
	for i := range r.ops {
		o := &r.ops[i]
		l, ok := at[o.process]
		if ok && o.outcome != history.OK && touches(t.Detail, us(o.call), us(o.ret)) {
			t.Lanes[l].Waits = append(t.Lanes[l].Waits, [6]int64{us(o.call), us(o.ret), outcomes[o.outcome],
				int64(o.n), int64(o.key), t.text(page.Clean(o.err, 100))})
		}
	}
	drawn, left := 0, 0
	for i := range r.holds {
		h := &r.holds[i]
		l, ok := at[h.process]
		if !ok || !touches(t.Detail, us(h.call), us(h.to)) {
			continue
		}
		if drawn++; drawn > maxHolds && !inside(r.violations, h) {
			left++
			continue
		}
		t.Lanes[l].Holds = append(t.Lanes[l].Holds, t.hold(h, r))
	}
	if left > 0 {
		t.leave("%s", units.Count(left, "hold"))
	}
	kept := 0
	for _, m := range r.marks {
		l, ok := at[m.process]
		if ok && (kept < maxMarks || m.kind == "kill") && touches(t.Detail, us(m.t), us(m.t)) {
			kept++
			t.Lanes[l].Marks = append(t.Lanes[l].Marks, [3]int64{us(m.t), marks[m.kind], t.text(m.text)})
		}
	}
}

// inside reports whether a hold is part of a violation.
func inside(ws []*witness, h *hold) bool {
	return slices.ContainsFunc(ws, func(w *witness) bool { return w.hold(h.process, h.n) })
}

func (t *timeline) hold(h *hold, r *View) [9]int64 {
	lease, from, to, in := int64(-1), h.from, h.to, int64(0)
	if h.lease > 0 {
		lease = us(h.lease)
	}
	for _, w := range r.violations {
		for _, x := range w.holds { // the checker's own times, where it gives them
			if x.Process == h.process && x.N == h.n && in == 0 {
				from, to, in = x.From, min(max(x.To, x.From), max(h.to, x.From)), 1
			}
		}
	}
	text := h.ended
	if h.node != "" {
		text = "granted by " + page.Clean(h.node, 40) + "; " + text
	}
	return [9]int64{us(h.call), us(from), us(to), lease, us(h.left), int64(h.n), int64(h.key),
		t.text(text), in}
}

// sums gives each lane what its client did per bin, for the times without detail.
func (t *timeline) sums(r *View, at map[int]int) {
	bins := min(1500, max(100, maxBins/max(1, len(at))))
	width := float64(t.End) / float64(bins)
	within := make([][]float64, len(at))
	for i := range within {
		within[i] = make([]float64, bins)
		t.Lanes[i].Bins = make([]int64, 2*bins)
	}
	for i := range r.holds {
		h := &r.holds[i]
		l, ok := at[h.process]
		if !ok {
			continue
		}
		from, to := float64(us(h.from)), float64(us(h.to))
		b := min(bins-1, int(from/width))
		t.Lanes[l].Bins[2*b+1]++
		for ; b < bins && float64(b)*width < to; b++ {
			within[l][b] += max(0, min(to, float64(b+1)*width)-max(from, float64(b)*width))
		}
	}
	for l := range within {
		for b, v := range within[l] {
			t.Lanes[l].Bins[2*b] = int64(min(1000, math.Round(1000*v/width)))
		}
	}
}
