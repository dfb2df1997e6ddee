package matrix

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Options say which part of the matrix is run, and how: the document options.json.
type Options struct {
	Format int      `json:"format"`
	Rows   []string `json:"rows"` // names of rows, or of locks; empty: all
	// adapters beside Rows, or "all"; Rows that are empty are none then
	Adapters []string      `json:"adapters,omitempty"`
	Columns  []string      `json:"columns"` // empty: all
	TTL      time.Duration `json:"ttl"`     // of locks that do not fix their own; 0: 500 ms
	Repeat   int           `json:"repeat"`  // runs of each aim; 0: one
	// runs at the same time, of the lightest lock; 0: what the machine bears
	Jobs        int           `json:"jobs"`
	Seed        uint64        `json:"seed"` // of all runs
	Environment string        `json:"environment"`
	Place       harness.Place `json:"place"` // of the environment's servers
	Shard       batch.Shard   `json:"shard"` // the part that is run here; the zero value: all
	// Unsupported are the steps that cannot be done there, and why: scenarios with them are not run.
	Unsupported map[string]string `json:"unsupported,omitempty"`
	// Missing are the adapters that cannot be set up there, and the rows whose servers lack what they
	// need, and why.
	Missing map[string]string `json:"missing,omitempty"`
	// Excused says of a letter that a cell lacks it for a reason: it is not looked for again. It may
	// be nil.
	Excused func(row, column, letter string) bool `json:"-"`
}

// DefaultTTL is short: what the matrix asks does not depend on the length of a lease, as long as no
// stall of the machine is nearly as long.
const DefaultTTL = 500 * time.Millisecond

// Task is one run of a matrix.
type Task struct {
	Row     Row    `json:"-"`
	Column  string `json:"column"`
	Aim     Aim    `json:"-"`
	Attempt int    `json:"attempt"` // from 1 to Options.Repeat
	Seed    uint64 `json:"seed"`
}

// Tasks are all runs of a matrix, in order: the repetitions of one aim are far apart, so that an
// interrupted matrix has seen everything once.
func (o Options) Tasks() ([]Task, error) {
	rs, cs, err := o.rowsAndColumns()
	if err != nil {
		return nil, err
	}
	// a cell is dealt whole for each attempt: what is repeated alone follows from it, the same in
	// every shard
	var cells [][]Task
	for attempt := 1; attempt <= max(o.Repeat, 1); attempt++ {
		for _, r := range rs {
			for _, c := range cs {
				if ts := o.cell(r, c, attempt); len(ts) > 0 {
					cells = append(cells, ts)
				}
			}
		}
	}
	return slices.Concat(batch.Deal(o.Shard, cells, func(ts []Task) int { return len(ts) })...), nil
}

// cell are the runs of one cell.
func (o Options) cell(r Row, c Column, attempt int) (out []Task) {
	if o.impossible(r, c) != "" {
		return nil
	}
	for _, a := range c.Aims {
		if a.Suits(r) && o.unsupported(r, a) == "" {
			t := Task{Row: r, Column: c.Name, Aim: a, Attempt: attempt}
			t.Seed = o.Seed + t.hash()
			out = append(out, t)
		}
	}
	return out
}

// key names a task: the same in every matrix with the same rows and columns.
func (t Task) key() string { return t.Row.Name + "|" + t.Column + "|" + t.Aim.Nemesis }

// cell names the cell of the task.
func (t Task) cell() string { return t.Row.Name + "|" + t.Column }

// run names one run of the task, as Result.key does.
func (t Task) run() string { return fmt.Sprintf("%s|%d", t.key(), t.Attempt) }

func (t Task) hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(t.key()))
	return (h.Sum64()>>40)*64 + uint64(t.Attempt)
}

// Plan makes a task ready to run. What is expected of it only the whole cell can say.
func (o Options) Plan(t Task) (harness.Plan, error) {
	p, err := harness.NewPlan(o.RunOptions(t.Row, t.Aim, t.Seed))
	p.Place, p.Expect = o.Place, ""
	if p.Declares().Optimistic {
		p.Properties = append(slices.Clip(p.Properties), history.LostUpdate)
	}
	return p, err
}

// longLeases is the time that a run may take whose lease is a library's own: up to a minute.
const longLeases = 5 * time.Minute

// RunOptions are what a run of the matrix asks for.
func (o Options) RunOptions(r Row, a Aim, seed uint64) harness.RunOptions {
	ttl := o.TTL
	if ttl == 0 {
		ttl = DefaultTTL
	}
	w := harness.RunOptions{
		Environment: o.Environment, Impl: r.Impl, Variant: r.Variant, NoWatchdog: r.NoWatchdog,
		Masters:  r.Masters,
		Workload: r.Workload,
		Nemesis:  a.Nemesis, Clients: a.Clients, Seed: seed, TTL: ttl, Properties: batch.Properties,
		Thorough: true,
		// short, so that locks that wait for a message ask again while no client is inside
		AcquireTimeout: 2 * ttl / 5,
		For:            12*ttl + 2*time.Second,
	}
	if a.Patient {
		w.AcquireTimeout = patience * ttl
	}
	if r.Adapter != "" {
		w.Impl, w.Adapter = "", r.Adapter
		if r.Has(ownLease) { // and all times follow from it
			w.TTL, w.For, w.AcquireTimeout = 0, longLeases, 0
		}
		return w
	}
	if r.Has(masters) {
		w.NodeTimeout = ttl / 10 // a twentieth, as usual, is less than a busy machine takes now and then
	}
	if r.Has(impls.Posted) {
		w.For = 2 * time.Second
	}
	return w
}
