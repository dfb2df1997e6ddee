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

// Progress is called after each run.
type Progress func(s Step)

// Step reports a finished run. All grows when a run has to be repeated.
type Step struct {
	Done, All int
	Result    Result // empty before the first run
	Why       string // the reason for a repetition, or ""
}

// Run carries out the runs of a matrix that are not in known, and writes each result to out. It
// repeats some runs once. If the machine was too slow for a run, it is repeated at the end, with
// few others in parallel, and the repetition replaces it. A run that missed an expected violation
// is also repeated, because missing something once proves little, but then both count. Run returns
// all results, known ones first. If ctx ends, it returns the results so far and the error of ctx.
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
	share int // the share of the room for one processor

	mu      sync.Mutex
	results []Result
	found   map[string][]Result // by cell
	done    int
	all     int
	asked   map[string]bool // the requested repetitions
	err     error           // the output cannot be written
}

// attempt is a run of a task. If it is a repetition, why says why.
type attempt struct {
	Task
	why string
}

func (a attempt) isRepeat() bool { return a.why != "" }

// The load that one processor bears. The unit is a run of a lock on a single Redis, which uses a
// tenth of a processor. More runs start while the machine is partly idle, up to mostOfProcessor,
// since other programs may need the rest. Other runs weigh three times as much: libraries are
// separate programs, containers start slowly, and simulated runs never wait.
const (
	roomOfProcessor = 6
	mostOfProcessor = 14
	weightOfOthers  = 3
)

// weight returns the load of a run. It is larger with several masters, because the clients contact
// each of them.
func (o Options) weight(r Row) int {
	w := max(1, r.Masters)
	if r.Adapter != "" || o.Environment != "process" {
		w *= weightOfOthers
	}
	return w
}

// room returns the load that the machine may bear at once. If Jobs is set, that is Jobs of the
// lightest runs.
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

// byTurns interleaves the runs of the locks, because runs of one lock load the machine alike. All
// locks finish at about the same time. The last columns come first, because their runs and
// repetitions take longest while a server is down.
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

// work carries out the waiting runs, in parallel if there is room.
func (c *execution) work(ctx context.Context) {
	var all sync.WaitGroup
	for {
		t, ok := c.line.Next(ctx)
		if !ok {
			break
		}
		all.Go(func() {
			defer c.line.Leave(t)
			c.runTask(ctx, t.Item)
		})
	}
	all.Wait()
}

// runTask carries out a task. An interrupted task leaves no result, and runs again when the matrix
// is resumed.
func (c *execution) runTask(ctx context.Context, t attempt) {
	begin := time.Now()
	dir := c.dir(t)
	p, err := c.options.Plan(t.Task)
	var v *checker.Verdict
	if err == nil {
		v, err = c.run(ctx, p, dir)
	}
	r := newResult(t.Task, dir, v, err, time.Since(begin))
	r.Alone, r.Disturbed = t.isRepeat(), batch.Disturbed(p, v)
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

// dir returns the directory of a run, relative to the directory of the matrix.
func (c *execution) dir(t attempt) string {
	what := t.Aim.Nemesis
	if what == "none" { // several columns have no fault
		what = t.Column
	}
	name := strings.NewReplacer(":", "-", " ", "-", "+", "plus").Replace(fmt.Sprintf("%s-%d", what,
		t.Attempt))
	if t.isRepeat() {
		name += "-alone"
	}
	return path.Join("runs", strings.ReplaceAll(t.Row.Name, " ", "-"), name)
}
