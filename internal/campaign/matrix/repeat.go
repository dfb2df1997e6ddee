package matrix

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Why a run is repeated.
const (
	tooBusy  = "the machine was too busy for it"
	notFound = "it did not find what is expected"
)

// doubt lets what of a cell has to be repeated wait in line: at its end, with little beside it,
// what the machine was too busy for.
func (c *execution) doubt(cell string) {
	slow := unfit(c.found[cell])
	for _, t := range missing(c.options.doubtful(c.cells[cell], c.found[cell]), c.found[cell], true) {
		again := pool.Turn[attempt]{Item: attempt{t, notFound}, Weight: c.options.weight(t.Row),
			Next: true}
		if _, busy := slow[t.run()]; busy {
			again = pool.Turn[attempt]{Item: attempt{t, tooBusy}, Last: true,
				Weight: max(2*again.Weight, c.share/2)}
		}
		if !c.asked[t.run()] {
			c.asked[t.run()] = true
			c.line.Add(again)
			c.all++
		}
	}
}

// doubtful are the tasks of a cell to repeat. Whether it lacks something is asked of its first
// attempt alone, once all of that is over, so that every shard and the whole matrix repeat the
// same.
func (o Options) doubtful(tasks []Task, results []Result) (out []Task) {
	slow, over := unfit(results), true
	var first []Result
	for _, r := range results {
		if r.Attempt == 1 {
			first = append(first, r)
		}
	}
	for _, t := range missing(tasks, results, false) {
		over = over && t.Attempt > 1
	}
	for _, t := range tasks {
		_, again := slow[t.run()]
		if again || over && t.Attempt == 1 && !t.Aim.Control && o.elusive(t, first) {
			out = append(out, t)
		}
	}
	return out
}

// elusive reports whether the cell of a task lacks a letter that was expected, can be judged, and
// is not known to be missing for a reason.
func (o Options) elusive(t Task, first []Result) bool {
	cell := newCell(t.Row, Column{Name: t.Column}, first, nil)
	for _, l := range cell.Missing() {
		if cell.Property(l).Found != checker.NA &&
			(o.Excused == nil || !o.Excused(cell.Row, cell.Column, l)) {
			return true
		}
	}
	return false
}

// missing are the tasks that have no result yet, or no repetition.
func missing(tasks []Task, results []Result, alone bool) (left []Task) {
	have := map[string]bool{}
	for _, r := range results {
		if r.Alone == alone {
			have[r.key()] = true
		}
	}
	for _, t := range tasks {
		if !have[t.run()] {
			left = append(left, t)
		}
	}
	return left
}

// unfit are the results that say little about their cells and were not repeated, by the keys of
// their tasks.
func unfit(results []Result) map[string]Result {
	slow := map[string]Result{}
	for _, r := range results {
		if slow[r.key()] = r; !r.Unfit() || r.Alone {
			delete(slow, r.key()) // or it was repeated, which is done once
		}
	}
	return slow
}

// Repeated says which runs were repeated, and why: a line for each reason.
func Repeated(results []Result) (lines []string) {
	busy, names := map[string]bool{}, map[bool][]string{}
	for _, r := range results {
		if !r.Alone {
			busy[r.key()] = r.Unfit()
			continue
		}
		slow := busy[r.key()]
		names[slow] = append(names[slow], r.Row+" under "+r.Nemesis)
	}
	for _, slow := range []bool{true, false} {
		all, why := names[slow], "which did not find all that is expected"
		if slow {
			why = "for which the machine was too busy"
		}
		if n := len(all); n > 0 {
			if n > namedRepeats {
				all = append(all[:namedRepeats:namedRepeats], fmt.Sprintf("%d more", n-namedRepeats))
			}
			lines = append(lines, fmt.Sprintf("%s repeated, %s: %s", units.Count(n, "run")+
				units.Plural(n, " was", " were"), why, units.List(all)))
		}
	}
	return lines
}

// namedRepeats bounds the runs that are named.
const namedRepeats = 12
