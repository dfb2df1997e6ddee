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

// Options say which part of a gate is run, and how.
type Options struct {
	Only  []string // names of entries; empty: all
	Jobs  int      // runs at the same time, at least 1
	Shard batch.Shard
	Drop  func(dir string) // removes a run that is not needed; nil: all are kept
	Tell  func(done, all int, entry string)
}

// Prepared is an entry made ready to run.
type Prepared struct {
	Plan func(seed uint64) (harness.Plan, error)
	// an error that is RefusedError says that the user must change something
	Run batch.Runner
	// what a run that was kept in a directory shows beside its verdict; zero if nothing was recorded
	Look   func(dir string) Look
	Replay Replayer
}

// Replayer carries out a counterexample once and keeps the run in dir. Diverged says at which step
// the environment did not follow any more; "" if it did to the end. The error says why nothing is
// known.
type Replayer func(ctx context.Context, dir string) (v *checker.Verdict, diverged string, err error)

// RefusedError marks a run that was not possible as it was asked for: another environment, lock or
// setting is needed.
type RefusedError struct{ Err error }

func (e RefusedError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e RefusedError) Unwrap() error { return e.Err }

// Run is what one run of a gate found.
type Run struct {
	Entry  string `json:"-"`
	Seed   uint64 `json:"seed"`
	Repeat int    `json:"repeat,omitempty"` // from 1
	// relative to the gate's directory; "": dropped, since its seed gives it again
	Dir string `json:"dir,omitempty"`
	batch.Finding
	Evidence checker.Evidence `json:"evidence"`
	Diverged string           `json:"diverged,omitempty"` // of a replay
	Refused  bool             `json:"refused,omitempty"`
	Cost     batch.Cost       `json:"cost,omitzero"`
	Again    bool             `json:"again,omitempty"` // the second try, with nothing beside it
	Extra    bool             `json:"extra,omitempty"` // beyond those planned, to find what is gone
	// a stall of the machine was a fault of its own (batch.Disturbed)
	Disturbed bool             `json:"disturbed,omitempty"`
	Course    string           `json:"course,omitempty"` // in the simulator: digest of what was done
	Took      history.Duration `json:"took"`
}

// job is what one worker does without a pause: a run, or a whole search.
type job struct {
	entry  *Entry
	seed   uint64
	repeat int
	extra  bool
}

// jobs are all of a gate, or those of a shard.
func (g *File) jobs(o Options) (out []job) {
	for i := range g.Entries {
		e := &g.Entries[i]
		if !chosen(o.Only, e.Name) {
			continue
		}
		seeds := e.Seeds
		if e.search() {
			seeds = 1 // the job counts on by itself
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

// Run carries out a gate with the entries that were made ready, by name. What was not as expected
// is done once more with nothing beside it: a machine that is too busy must not make a verdict.
// When ctx ends, the result has what there is, and the error is ctx'.
func (g *File) Run(ctx context.Context, o Options, ready map[string]Prepared) (*Result,
	error) {
	begin := time.Now()
	todo := g.jobs(o)
	r := &execution{Options: o, gate: g, ready: ready, clocks: map[string]*clock{}, all: len(todo)}
	if g.Budget > 0 {
		var stop context.CancelFunc
		r.whole, stop = context.WithTimeout(ctx, g.Budget.D())
		defer stop()
	} else {
		r.whole = ctx
	}
	for _, e := range todo {
		if r.clocks[e.entry.Name] == nil {
			r.clocks[e.entry.Name] = &clock{}
		}
		r.clocks[e.entry.Name].planned++
	}
	defer r.stop()
	if r.Tell != nil && len(todo) > 0 {
		r.Tell(0, r.all, todo[0].entry.Name)
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
}

// clock is the time of one entry.
type clock struct {
	planned int // runs that were to be done here
	ctx     context.Context
	stop    context.CancelFunc
	cut     string // why not all runs were done
}

// start begins the time of an entry with its first run.
func (r *execution) start(e *Entry) *clock {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clocks[e.Name]
	if c.ctx == nil {
		c.ctx, c.stop = r.whole, func() {}
		if d := e.limit(); d > 0 {
			c.ctx, c.stop = context.WithTimeout(r.whole, d)
		}
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

// carryOut does a job.
func (r *execution) carryOut(ctx context.Context, t job, again bool) {
	c := r.start(t.entry)
	for n := 0; ; n++ {
		run, ok := r.one(c.ctx, t, again)
		if ctx.Err() != nil {
			return
		}
		if !ok {
			r.cut(c, t.entry)
			break
		}
		r.keep(t.entry, run)
		if !t.entry.search() || run.Refused || t.entry.met(run) == checker.Valid ||
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

// one does one run; ok is false if the time was over before it ended.
func (r *execution) one(ctx context.Context, t job, again bool) (run Run, ok bool) {
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

// look notes what a run shows beside its verdict. What the lock said while the machine stalled is
// the machine's doing.
func (r *execution) look(l Look, p harness.Plan, v *checker.Verdict, run *Run) {
	run.Cost, run.Disturbed = l.Cost, p.Environment != runner.Sim && batch.Disturbed(p, v)
	if p.Environment == runner.Sim {
		run.Course = l.Course
	}
	if !run.Disturbed && !run.Extra && run.HarnessError == "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.says.add(1, l.Says)
	}
}

// missed are runs to do beyond those planned: one more for each entry that lacks a letter that its
// snapshot has in every run, as long as that may be chance.
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
		gone, chance := e.Found.gone(now)
		if len(gone) > 0 && now.valid[gone[0]] > 0 && chance >= batch.NoAccident &&
			extra < maxExtra && r.clocks[e.Name].cut == "" {
			more = append(more, job{e, e.Seed + uint64(e.Seeds+extra), 1, true})
		}
	}
	return more
}

// cut notes why an entry has fewer runs than planned.
func (r *execution) cut(c *clock, e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole.Err() != nil {
		c.cut = fmt.Sprintf("the gate's budget of %v ended", r.gate.Budget)
	} else if !e.search() {
		c.cut = fmt.Sprintf("the entry's budget of %v ended", e.Budget)
	}
}

// keep adds a run. In the sim its record is dropped if it shows nothing that the seed would not
// show again.
func (r *execution) keep(e *Entry, run Run) {
	if e.Environment == "sim" && e.Replay == "" && run.Seed != e.Seed && r.Drop != nil && e.dull(run) {
		r.Drop(run.Dir)
		run.Dir = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, run)
}

// dull reports whether a run shows nothing that its entry's first run does not show.
func (e *Entry) dull(run Run) bool {
	return (e.met(run) == checker.Valid && !e.straying(run)) != e.search()
}

// doubtful are the runs to do once more.
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

// doubts reports whether a run is worth a second try: it is not as expected, and another may be.
// What was found is never taken back, a search has tried often enough, and in the sim nothing would
// change.
func (e *Entry) doubts(run Run) bool {
	met := e.met(run)
	found := !e.Expect.Violates && met == checker.Violated // a snapshot violates nothing by itself
	return met != checker.Valid && !found && !run.Refused && !e.search() && e.Environment != "sim"
}
