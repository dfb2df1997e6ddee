package reports

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/lockbench/lockbench/internal/units"
)

// choose finds the times in which all operations are drawn: as wide as the page can bear around the
// witness and the faults.
func (t *timeline) choose(r *View) {
	t.Detail = [][2]int64{{0, t.End}}
	if len(r.ops) <= maxDetail {
		return
	}
	var centres []int64
	for _, w := range r.violations {
		centres = append(centres, us(w.from/2+min(w.to, r.end)/2))
	}
	for _, x := range r.faults {
		if len(centres) < 12 {
			centres = append(centres, us(x.from))
		}
	}
	if len(centres) == 0 {
		centres = []int64{0}
	}
	reach := sort.Search(int(min(t.End, math.MaxInt32)), func(reach int) bool {
		return countIn(r.ops, around(centres, int64(reach), t.End)) > maxDetail
	})
	t.Detail = around(centres, int64(max(0, reach-1)), t.End)
	t.leave("%s of %s acquire calls one by one: outside %s around the faults%s the timeline shows how much of the time each client was inside",
		units.Thousands(len(r.ops)-countIn(r.ops, t.Detail)), units.Thousands(len(r.ops)),
		units.Span(time.Duration(reach)*time.Microsecond), andWitness(r))
}

func andWitness(r *View) string {
	if len(r.violations) == 0 {
		return ""
	}
	return " and the violation"
}

// around joins the windows of one reach around all centres.
func around(centres []int64, reach, end int64) [][2]int64 {
	centres = slices.Sorted(slices.Values(centres))
	var ws [][2]int64
	for _, c := range centres {
		lo, hi := max(0, c-reach), min(end, c+reach)
		if n := len(ws); n > 0 && lo <= ws[n-1][1] {
			ws[n-1][1] = hi
			continue
		}
		ws = append(ws, [2]int64{lo, hi})
	}
	return ws
}

func countIn(ops []op, ws [][2]int64) int {
	n := 0
	for i := range ops {
		if touches(ws, us(ops[i].call), us(ops[i].ret)) {
			n++
		}
	}
	return n
}

func touches(ws [][2]int64, from, to int64) bool {
	for _, w := range ws {
		if from <= w[1] && to >= w[0] {
			return true
		}
	}
	return false
}
