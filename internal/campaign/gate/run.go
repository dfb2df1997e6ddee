package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// Options specify which part of a gate is run, and how.
type Options struct {
	Only  []string // names of entries; if empty, all
	Jobs  int      // parallel runs, at least 1
	Shard batch.Shard
	Drop  func(dir string) // removes a run that is not needed; if nil, all runs are kept
	Tell  func(done, all int, entry string)
	// the finished runs of an earlier process, and of this one; nil if none are kept
	Record *batch.Record[Done]
}

// Prepared is an entry that is ready to run.
type Prepared struct {
	Plan func(seed uint64) (harness.Plan, error)
	// Run returns an error that is refused if the user must change something.
	Run batch.Runner
	// Look returns what a stored run shows in addition to its verdict. It returns zero if nothing was
	// recorded.
	Look   func(dir string) Look
	Replay Replayer
}

// Replayer replays a counterexample once and stores the run in dir. Diverged describes the step
// that diverged, or is "". The error is the reason for a missing result.
type Replayer func(ctx context.Context, dir string) (v *checker.Verdict, diverged string, err error)

// Run is the result of one run of a gate.
type Run struct {
	Entry  string `json:"-"`
	Seed   uint64 `json:"seed"`
	Repeat int    `json:"repeat,omitempty"` // from 1
	// relative to the gate's directory; empty if it was removed because its seed repeats it
	Dir string `json:"dir,omitempty"`
	batch.Finding
	Evidence checker.Evidence `json:"evidence"`
	Diverged string           `json:"diverged,omitempty"` // set for a replay
	Refused  bool             `json:"refused,omitempty"`
	Cost     batch.Cost       `json:"cost,omitzero"`
	Again    bool             `json:"again,omitempty"` // the second try, with nothing else running
	Extra    bool             `json:"extra,omitempty"` // an additional run to find missing violations
	// a stall of the machine acted as a fault (batch.Disturbed)
	Disturbed bool `json:"disturbed,omitempty"`
	// set in the simulator: a digest of all actions
	Course string           `json:"course,omitempty"`
	Took   history.Duration `json:"took"`

	heard bool     // its messages count
	says  []string // the forms of its messages
}

// job is what one worker does without a break: a run or a whole search.
type job struct {
	entry  *Entry
	seed   uint64
	repeat int
	extra  bool
}

func (g *File) jobs(o Options) (out []job) {
	for i := range g.Entries {
		e := &g.Entries[i]
		if !chosen(o.Only, e.Name) {
			continue
		}
		seeds := e.Seeds
		if e.search() {
			seeds = 1 // the job increments the seed itself
		}
		for s := range seeds {
			for r := range e.Repeats {
				out = append(out, job{entry: e, seed: e.Seed + uint64(s), repeat: r + 1})
			}
		}
	}
	return batch.Deal(o.Shard, out, func(job) int { return 1 })
}

func chosen(only []string, name string) bool {
	return len(only) == 0 || slices.Contains(only, name)
}

// Run runs the prepared entries of a gate. It repeats runs that were not as expected with nothing
// else running, because a busy machine must not decide a verdict. When ctx ends, it returns a
// partial result and the error of ctx.
func (g *File) Run(ctx context.Context, o Options, ready map[string]Prepared) (*Result,
	error) {
	begin := time.Now()
	todo := g.jobs(o)
	whole, stop := pool.Limit(ctx, g.Budget.D())
	defer stop()
	r := &execution{Options: o, gate: g, ready: ready, clocks: map[string]*clock{}, all: len(todo),
		whole: whole}
	for _, e := range todo {
		if r.clocks[e.entry.Name] == nil {
			r.clocks[e.entry.Name] = &clock{}
		}
		r.clocks[e.entry.Name].planned++
	}
	defer r.stop()
	todo = r.recall(todo)
	if r.Tell != nil && len(todo) > 0 {
		r.Tell(r.done, r.all, todo[0].entry.Name)
	}
	pool.Each(ctx, o.Jobs, slices.Values(todo), func(e job) { r.carryOut(ctx, e, false) })
	if again := r.doubtful(); ctx.Err() == nil && len(again) > 0 {
		r.all += len(again)
		pool.Each(ctx, 1, slices.Values(again), func(e job) { r.carryOut(ctx, e, true) })
	}
	for more := r.missed(); ctx.Err() == nil && len(more) > 0; more = r.missed() {
		r.all += len(more)
		pool.Each(ctx, 1, slices.Values(more), func(e job) { r.carryOut(ctx, e, false) })
	}
	res := g.result(o, r.results(), r.says)
	res.Partial, res.Took = ctx.Err() != nil,
		history.Duration(time.Since(begin).Round(time.Millisecond))
	res.conclude()
	return res, ctx.Err()
}

type execution struct {
	Options
	gate  *File
	ready map[string]Prepared
	whole context.Context // ends with the gate's budget

	mu     sync.Mutex
	runs   []Run
	clocks map[string]*clock
	says   Says
	done   int
	all    int

	unwritten error // why the record takes no more runs
}

// clock limits the time of one entry.
type clock struct {
	planned int // number of planned runs
	ctx     context.Context
	stop    context.CancelFunc
	cut     string // why some runs were not made
}

// start starts the time limit of an entry at its first run.
func (r *execution) start(e *Entry) *clock {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clocks[e.Name]
	if c.ctx == nil {
		c.ctx, c.stop = pool.Limit(r.whole, e.limit())
	}
	return c
}

func (r *execution) stop() {
	for _, c := range r.clocks {
		if c.stop != nil {
			c.stop()
		}
	}
}

func (r *execution) carryOut(ctx context.Context, t job, again bool) {
	c := r.start(t.entry)
	for n := 0; ; n++ {
		run, ok := r.runOnce(c.ctx, t, again)
		if ctx.Err() != nil {
			return
		}
		if !ok {
			r.cut(c, t.entry)
			break
		}
		r.keep(t.entry, run)
		if !t.entry.search() || run.Refused || t.entry.judgeRun(run) == checker.Valid ||
			n+1 >= t.entry.runs() {
			break
		}
		if t.repeat++; t.repeat > t.entry.Repeats {
			t.seed, t.repeat = t.seed+1, 1
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done++; r.Tell != nil {
		r.Tell(r.done, r.all, t.entry.Name)
	}
}

// runOnce executes one run. It returns false if the time was over before the run ended.
func (r *execution) runOnce(ctx context.Context, t job, again bool) (run Run, ok bool) {
	if ctx.Err() != nil {
		return run, false
	}
	begin, ready := time.Now(), r.ready[t.entry.Name]
	run = Run{Entry: t.entry.Name, Seed: t.seed, Repeat: t.repeat, Again: again, Extra: t.extra,
		Dir: r.dir(t, again)}
	var v *checker.Verdict
	var err error
	var p harness.Plan
	if t.entry.Replay != "" {
		v, run.Diverged, err = ready.Replay(ctx, run.Dir)
	} else {
		if p, err = ready.Plan(t.seed); err == nil {
			v, err = ready.Run(ctx, p, run.Dir)
		}
	}
	run.Finding, run.Took = batch.NewFinding(v, err),
		history.Duration(time.Since(begin).Round(time.Millisecond))
	if v != nil {
		run.Evidence = v.Evidence
		if ready.Look != nil {
			r.look(ready.Look(run.Dir), p, v, &run)
		}
	}
	run.Refused = refused(err)
	if ctx.Err() != nil && r.Drop != nil {
		r.Drop(run.Dir)
	}
	return run, ctx.Err() == nil
}

// look adds what a run shows in addition to its verdict. It ignores messages that were sent while
// the machine stalled.
func (r *execution) look(l Look, p harness.Plan, v *checker.Verdict, run *Run) {
	run.Cost, run.Disturbed = l.Cost, p.Environment != runner.Sim && batch.Disturbed(p, v)
	if p.Environment == runner.Sim {
		run.Course = l.Course
	}
	run.heard = !run.Disturbed && !run.Extra && run.HarnessError == ""
	run.says = l.Says
}

// missed returns additional jobs: one for each entry that lacks a violation that its snapshot has
// in every run, as long as chance may explain it.
func (r *execution) missed() (more []job) {
	for i := range r.gate.Entries {
		e := &r.gate.Entries[i]
		if e.Found == nil || !chosen(r.Only, e.Name) || r.clocks[e.Name] == nil {
			continue
		}
		var own []Run
		extra := 0
		for _, run := range r.runs {
			if run.Entry == e.Name {
				own, extra = append(own, run), extra+batch.Truth(run.Extra)
			}
		}
		now := countLetters(own)
		gone, chance := e.Found.missing(now)
		if len(gone) > 0 && now.valid[gone[0]] > 0 && chance >= batch.NoAccident &&
			extra < maxExtra && r.clocks[e.Name].cut == "" {
			more = append(more, job{e, e.Seed + uint64(e.Seeds+extra), 1, true})
		}
	}
	return more
}

// cut records why an entry has fewer runs than planned.
func (r *execution) cut(c *clock, e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole.Err() != nil {
		c.cut = fmt.Sprintf("the gate's budget of %v ended", r.gate.Budget)
	} else if !e.search() {
		c.cut = fmt.Sprintf("the entry's budget of %v ended", e.Budget)
	}
}

// keep adds a run. In the simulator it removes the record of a run that shows nothing new, because
// its seed can repeat it.
func (r *execution) keep(e *Entry, run Run) {
	if e.Environment == "sim" && e.Replay == "" && run.Seed != e.Seed && r.Drop != nil && e.dull(run) {
		r.Drop(run.Dir)
		run.Dir = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(run)
	r.note(run)
}

func (r *execution) add(run Run) {
	r.runs = append(r.runs, run)
	if run.heard {
		r.says.add(1, run.says)
	}
}

// dull reports whether a run shows nothing that its entry's first run does not show.
func (e *Entry) dull(run Run) bool {
	return (e.judgeRun(run) == checker.Valid && !e.straying(run)) != e.search()
}

// doubtful returns the runs to repeat.
func (r *execution) doubtful() (again []job) {
	for _, run := range r.runs {
		for i := range r.gate.Entries {
			if e := &r.gate.Entries[i]; e.Name == run.Entry && e.doubts(run) {
				again = append(again, job{entry: e, seed: run.Seed, repeat: run.Repeat})
			}
		}
	}
	return again
}

// doubts reports whether a run is worth a second try because it was not as expected. A violation is
// never taken back, a search has tried often enough, and in the simulator nothing would change.
func (e *Entry) doubts(run Run) bool {
	met := e.judgeRun(run)
	found := !e.Expect.Violates && met == checker.Violated // a snapshot has no expectation to violate
	return met != checker.Valid && !found && !run.Refused && !e.search() && e.Environment != "sim"
}
