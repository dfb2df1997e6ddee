package matrix

import (
	"cmp"
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
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Progress is told of each run that is over.
type Progress func(s Step)

// Step is a run that is over, and how many there are so far: one that has to be repeated adds
// another.
type Step struct {
	Done, All int
	Result    Result // none before the first run
	Why       string // of a repetition; "": it is none
}

// Run carries out the runs of a matrix that known does not have yet, and writes each result to out
// as it comes. Some are repeated once: those that the machine was too slow for, when nothing else
// is left to begin, with little beside them, which the repetition replaces, and those that did not
// find what was expected, to which it is added: that something was not found once proves little.
// What was found is never taken back. It returns all results, known ones first; when ctx ends,
// those that there are, with ctx' error.
func (o Options) Run(ctx context.Context, run batch.Runner, known []Result, out io.Writer,
	tell Progress) ([]Result, error) {
	todo, err := o.Tasks()
	if err != nil {
		return nil, err
	}
	c := newExecution(o, todo, known)
	c.run, c.out, c.tell = run, out, tell
	if tell != nil && c.done < c.all {
		tell(Step{Done: c.done, All: c.all})
	}
	c.work(ctx)
	if c.err != nil {
		return c.results, c.err
	}
	return c.results, ctx.Err()
}

// execution carries out the tasks of a matrix.
type execution struct {
	options Options
	run     batch.Runner
	tell    Progress
	out     io.Writer
	cells   map[string][]Task

	line  *pool.Line[attempt]
	share int // of the room, for each processor

	mu      sync.Mutex
	results []Result
	found   map[string][]Result // by cell
	done    int
	all     int
	asked   map[string]bool // the repetitions
	err     error           // nothing more can be written
}

// attempt is a run of a task: why it is repeated, if it is.
type attempt struct {
	Task
	why string
}

// again reports whether the task was run before.
func (a attempt) again() bool { return a.why != "" }

// What each processor bears at the same time, in runs of a lock on one Redis, of which each uses a
// tenth of it; and how many more go while the machine has time to spare, which another program's
// work may take. What else is run weighs as much as three: libraries are programs of other
// languages, containers are slow to start, and a simulated run does not wait.
const (
	roomOfProcessor = 6
	mostOfProcessor = 14
	weightOfOthers  = 3
)

// weight is what a run of a row's lock adds to the load: its clients ask each master.
func (o Options) weight(r Row) int {
	w := max(1, r.Masters)
	if r.Adapter != "" || o.Environment != "process" {
		w *= weightOfOthers
	}
	return w
}

// room is how much the machine is trusted to bear at once: as many of the lightest runs as were
// asked for.
func (o Options) room(tasks []Task) int {
	if o.Jobs == 0 || len(tasks) == 0 {
		return roomOfProcessor * runtime.NumCPU()
	}
	lightest := o.weight(tasks[0].Row)
	for _, t := range tasks {
		lightest = min(lightest, o.weight(t.Row))
	}
	return o.Jobs * lightest
}

// newExecution is one that has still to do what is not known.
func newExecution(o Options, todo []Task, known []Result) *execution {
	room := o.room(todo)
	c := &execution{options: o, results: known, all: len(todo),
		line: pool.NewLine[attempt](room), share: max(1, room/runtime.NumCPU()),
		cells: map[string][]Task{}, found: map[string][]Result{}, asked: map[string]bool{}}
	if o.Jobs == 0 {
		c.line.Stretch(mostOfProcessor*runtime.NumCPU(), new(pool.Idleness).Spare)
	}
	for _, r := range known {
		c.found[r.cell()] = append(c.found[r.cell()], r)
	}
	var cells []string
	for _, t := range todo {
		if c.cells[t.cell()] == nil {
			cells = append(cells, t.cell())
		}
		c.cells[t.cell()] = append(c.cells[t.cell()], t)
	}
	left := missing(todo, known, false)
	c.done = len(todo) - len(left)
	for _, t := range byTurns(left) {
		c.line.Add(pool.Turn[attempt]{Item: attempt{Task: t}, Weight: o.weight(t.Row)})
	}
	for _, cell := range cells {
		c.doubt(cell)
	}
	return c
}

// byTurns spreads the runs of each lock evenly: runs of one lock are alike, and many that ask more
// of the machine than most would be under way together. None has runs left when others are over.
// The last columns come first: their runs last longest, since a server is away, and so may what
// repeats them.
func byTurns(tasks []Task) []Task {
	all := map[string]int{}
	for _, t := range tasks {
		all[t.Row.Name]++
	}
	turn, of := map[string]int{}, make(map[string]float64, len(tasks))
	sorted := slices.Clone(tasks)
	slices.Reverse(sorted)
	for _, t := range sorted {
		turn[t.Row.Name]++
		of[t.run()] = float64(turn[t.Row.Name]) / float64(all[t.Row.Name])
	}
	slices.SortStableFunc(sorted, func(a, b Task) int { return cmp.Compare(of[a.run()], of[b.run()]) })
	return sorted
}

// work carries out what waits, as much side by side as there is room for.
func (c *execution) work(ctx context.Context) {
	var all sync.WaitGroup
	for {
		t, ok := c.line.Next(ctx)
		if !ok {
			break
		}
		all.Go(func() {
			defer c.line.Leave(t)
			c.one(ctx, t.Item)
		})
	}
	all.Wait()
}

// one carries out a task. What was interrupted leaves no result: it is run again when the matrix
// is resumed.
func (c *execution) one(ctx context.Context, t attempt) {
	begin := time.Now()
	dir := c.dir(t)
	p, err := c.options.Plan(t.Task)
	var v *checker.Verdict
	if err == nil {
		v, err = c.run(ctx, p, dir)
	}
	r := newResult(t.Task, dir, v, err, time.Since(begin))
	r.Alone, r.Disturbed = t.again(), batch.Disturbed(p, v)
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := batch.WriteLine(c.out, r); err != nil && c.err == nil {
		c.err = fmt.Errorf("cannot write a result: %w", err)
		c.line.Close()
	}
	c.results = append(c.results, r)
	c.found[r.cell()] = append(c.found[r.cell()], r)
	c.done++
	c.doubt(r.cell())
	if c.tell != nil {
		c.tell(Step{Done: c.done, All: c.all, Result: r, Why: t.why})
	}
}

// dir is where a run goes, relative to the directory of the matrix.
func (c *execution) dir(t attempt) string {
	name := strings.NewReplacer(":", "-", " ", "-", "+", "plus").Replace(fmt.Sprintf("%s-%d",
		t.Aim.Nemesis, t.Attempt))
	if t.again() {
		name += "-alone"
	}
	return path.Join("runs", strings.ReplaceAll(t.Row.Name, " ", "-"), name)
}
