package matrix

import (
	"context"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/pool"
)

// Progress is told of each run that is over.
type Progress func(s Step)

// Step is a run that is over, and what is left to do then.
type Step struct {
	Done, All int
	Result    Result
	Why       string // of a repetition; "": it is none
	// Again are runs which the machine was too busy for: they are repeated after all others, few at a
	// time, in about this time. It is nought once they are part of All.
	Again  int
	Longer time.Duration
}

// Run carries out the runs of a matrix that known does not have yet, and writes each result to out
// as it comes. Then some are repeated once with little beside them, one for each processor: those
// that the machine was too slow for, which the repetition replaces, and those that did not find
// what was expected, to which it is added: that something was not found once proves little. What
// was found is never taken back. It returns all results, known ones first; when ctx ends, those
// that there are, with ctx' error.
func (o Options) Run(ctx context.Context, run batch.Runner, known []Result, out io.Writer,
	tell Progress) ([]Result, error) {
	todo, err := o.Tasks()
	if err != nil {
		return nil, err
	}
	c := &execution{options: o, run: run, out: out, tell: tell, all: len(todo),
		results: known, slow: unfit(known)}
	left := missing(todo, known, false)
	c.done = len(todo) - len(left)
	c.several(ctx, left, o.jobs())
	if ctx.Err() == nil && c.err == nil {
		again := missing(doubtful(todo, c.results), c.results, true)
		c.all, c.alone, c.slow = c.all+len(again), true, unfit(c.results)
		c.several(ctx, again, o.few())
	}
	if c.err != nil {
		return c.results, c.err
	}
	return c.results, ctx.Err()
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

// doubtful are the tasks to repeat. Whether a cell lacks something is asked of its first attempt
// alone, so that every shard and the whole matrix repeat the same.
func doubtful(tasks []Task, results []Result) (out []Task) {
	slow, first := unfit(results), map[string][]Result{}
	for _, r := range results {
		if r.Attempt == 1 {
			first[r.Row+"|"+r.Column] = append(first[r.Row+"|"+r.Column], r)
		}
	}
	for _, t := range tasks {
		cell := newCell(t.Row, Column{Name: t.Column}, first[t.Row.Name+"|"+t.Column], nil)
		_, again := slow[t.run()]
		if again || t.Attempt == 1 && !t.Aim.Control && cell.elusive() {
			out = append(out, t)
		}
	}
	return out
}

// elusive reports whether the cell lacks a letter that was expected and can be judged.
func (c *Cell) elusive() bool {
	for _, l := range c.Missing() {
		if c.Property(l).Found != checker.NA {
			return true
		}
	}
	return false
}

// jobs is how many runs the machine is trusted to bear at once: each uses a fifth of a core.
func (o Options) jobs() int {
	if o.Jobs > 0 {
		return o.Jobs
	}
	return 2 * runtime.NumCPU()
}

// few is how many of the runs that are repeated go side by side: each has a processor, of which it
// uses a fifth.
func (o Options) few() int { return min(o.jobs(), runtime.NumCPU()) }

type execution struct {
	options Options
	run     batch.Runner
	tell    Progress
	alone   bool
	slow    map[string]Result // those of the runs side by side that were unfit

	mu      sync.Mutex
	out     io.Writer
	results []Result
	done    int
	all     int
	err     error // nothing more can be written
}

// several carries out tasks, jobs at a time.
func (c *execution) several(ctx context.Context, tasks []Task, jobs int) {
	pool.Each(ctx, jobs, slices.Values(tasks), func(t Task) {
		if !c.failed() {
			c.one(ctx, t)
		}
	})
}

func (c *execution) failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err != nil
}

// one carries out a task. What was interrupted leaves no result: it is run again when the matrix
// is resumed.
func (c *execution) one(ctx context.Context, t Task) {
	begin := time.Now()
	dir := c.dir(t)
	p, err := c.options.Plan(t)
	var v *checker.Verdict
	if err == nil {
		v, err = c.run(ctx, p, dir)
	}
	r := newResult(t, dir, v, err, time.Since(begin))
	r.Alone, r.Disturbed = c.alone, batch.Disturbed(p, v)
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := batch.WriteLine(c.out, r); err != nil && c.err == nil {
		c.err = fmt.Errorf("cannot write a result: %w", err)
	}
	c.results = append(c.results, r)
	c.done++
	if c.tell != nil {
		c.tell(c.step(r))
	}
}

// step is what is told of a result.
func (c *execution) step(r Result) Step {
	s := Step{Done: c.done, All: c.all, Result: r}
	if c.alone {
		s.Why = "it did not find what is expected"
		if _, slow := c.slow[r.key()]; slow {
			s.Why = "the machine was too busy for it"
		}
		return s
	}
	if r.Unfit() {
		c.slow[r.key()] = r
	}
	for _, r := range c.slow {
		s.Again, s.Longer = s.Again+1, s.Longer+r.Took.D()
	}
	s.Longer /= time.Duration(c.options.few())
	return s
}

// dir is where a run goes, relative to the directory of the matrix.
func (c *execution) dir(t Task) string {
	name := strings.NewReplacer(":", "-", " ", "-", "+", "plus").Replace(fmt.Sprintf("%s-%d",
		t.Aim.Nemesis, t.Attempt))
	if c.alone {
		name += "-alone"
	}
	return path.Join("runs", strings.ReplaceAll(t.Row.Name, " ", "-"), name)
}
