package timeline

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/view"
)

// choose selects the spans in which every operation is drawn. They surround the witness and the
// faults, and are as wide as the size of the page allows.
func (t *Timeline) choose(v *view.View) {
	t.Detail = [][2]int64{{0, t.End}}
	if len(v.Calls) <= maxDetail {
		return
	}
	var centres []int64
	for _, w := range v.Violations {
		centres = append(centres, us(w.From/2+min(w.To, v.End)/2))
	}
	for _, x := range v.Faults {
		if len(centres) < 12 {
			centres = append(centres, us(x.From))
		}
	}
	if len(centres) == 0 {
		centres = []int64{0}
	}
	reach := sort.Search(int(min(t.End, math.MaxInt32)), func(reach int) bool {
		return countIn(v.Calls, around(centres, int64(reach), t.End)) > maxDetail
	})
	t.Detail = around(centres, int64(max(0, reach-1)), t.End)
	t.leave("%s of %s acquire calls one by one: outside %s around the faults%s the timeline "+
		"shows how much of the time each client was inside",
		units.Thousands(len(v.Calls)-countIn(v.Calls, t.Detail)), units.Thousands(len(v.Calls)),
		units.Span(time.Duration(reach)*time.Microsecond), andViolation(v))
}

func andViolation(v *view.View) string {
	if len(v.Violations) == 0 {
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

func countIn(ops []record.Call, ws [][2]int64) int {
	n := 0
	for i := range ops {
		n += batch.Truth(touches(ws, us(ops[i].From), us(ops[i].To)))
	}
	return n
}

func touches(ws [][2]int64, from, to int64) bool {
	return slices.ContainsFunc(ws, func(w [2]int64) bool { return from <= w[1] && to >= w[0] })
}

// detailed reports whether a span of the record touches one in which every operation is drawn.
func (t *Timeline) detailed(from, to int64) bool { return touches(t.Detail, us(from), us(to)) }
