package matrix

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
)

// The reasons why a run is repeated.
const (
	tooBusy  = "the machine was too busy"
	broke    = "it broke"
	notFound = "an expected violation was missed"
)

// doubt schedules the repetitions of a cell. If the machine was too busy for a run, it is repeated
// at the end of the line, with few others in parallel.
func (c *execution) doubt(cell string) {
	slow := unfit(c.found[cell])
	for _, t := range missing(c.options.doubtful(c.cells[cell], c.found[cell]), c.found[cell], true) {
		again := pool.Turn[attempt]{Item: attempt{t, notFound}, Weight: c.options.weight(t.Row),
			Next: true}
		if r, busy := slow[t.run()]; busy {
			again = pool.Turn[attempt]{Item: attempt{t, r.unfit()}, Last: true,
				Weight: max(2*again.Weight, c.share/2)}
		}
		if !c.asked[t.run()] {
			c.asked[t.run()] = true
			c.line.Add(again)
			c.all++
		}
	}
}

// doubtful returns the tasks of a cell to repeat. It checks for missing properties only after all
// first attempts, and only among these, so that every shard repeats the same runs as the whole
// matrix.
func (o Options) doubtful(tasks []Task, results []Result) (out []Task) {
	slow, over := unfit(results), true
	first := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Attempt != 1 })
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

// elusive reports whether the cell of a task lacks an expected property that can be judged and is
// not excused.
func (o Options) elusive(t Task, first []Result) bool {
	cell := NewCell(t.Row, Column{Name: t.Column}, first, nil)
	return slices.ContainsFunc(cell.Missing(), func(l string) bool {
		return cell.Property(l).Found != checker.NA &&
			(o.Excused == nil || !o.Excused(cell.Row, cell.Column, l))
	})
}

// missing returns the tasks without a result. If alone is set, it returns those without a
// repetition.
func missing(tasks []Task, results []Result, alone bool) []Task {
	have := map[string]bool{}
	for _, r := range results {
		if r.Alone == alone {
			have[r.key()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return have[t.run()] })
}

// unfit returns the unfit results that were not repeated, by the keys of their tasks.
func unfit(results []Result) map[string]Result {
	slow := map[string]Result{}
	for _, r := range results {
		if slow[r.key()] = r; !r.Unfit() || r.Alone {
			delete(slow, r.key()) // a task is repeated only once
		}
	}
	return slow
}

// unfit returns the reason why a run is repeated.
func (r Result) unfit() string {
	switch {
	case r.Stalled || r.Disturbed:
		return tooBusy
	case r.HarnessError != "":
		return broke
	}
	return notFound
}

// Repeated says which runs were repeated, with one line for each reason.
func Repeated(results []Result) (lines []string) {
	first, names := map[string]Result{}, map[string][]string{}
	for _, r := range results {
		if !r.Alone {
			first[r.key()] = r
			continue
		}
		why := first[r.key()].unfit()
		names[why] = append(names[why], r.Row+" under "+r.Nemesis)
	}
	for _, why := range []string{tooBusy, broke, notFound} {
		all := names[why]
		if n := len(all); n > 0 {
			if n > namedRepeats {
				all = append(all[:namedRepeats:namedRepeats], fmt.Sprintf("%d more", n-namedRepeats))
			}
			lines = append(lines, fmt.Sprintf("%s repeated, because %s: %s", units.Count(n, "run")+
				units.Plural(n, " was", " were"), why, units.List(all)))
		}
	}
	return lines
}

// namedRepeats limits the runs that a line names.
const namedRepeats = 12
