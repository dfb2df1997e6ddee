package matrix

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Options specify which part of the matrix is run, and how. They are stored in options.json.
type Options struct {
	Format int      `json:"format"`
	Rows   []string `json:"rows"` // names of rows or locks; if empty, all
	// adapters in addition to Rows, or "all"; if set, empty Rows select none
	Adapters []string      `json:"adapters,omitempty"`
	Columns  []string      `json:"columns"` // if empty, all
	TTL      time.Duration `json:"ttl"`     // lease of locks that do not fix their own; 0 means 500 ms
	Repeat   int           `json:"repeat"`  // runs of each aim; 0 means one
	// parallel runs of the lightest lock; 0 means as many as the machine bears
	Jobs        int           `json:"jobs"`
	Seed        uint64        `json:"seed"` // base of the seeds of all runs
	Environment string        `json:"environment"`
	Place       harness.Place `json:"place"` // where the servers of the environment are
	Shard       batch.Shard   `json:"shard"` // the part to run; the zero value means all
	// Unsupported maps the steps that the environment does not support to the reasons. Scenarios with
	// such steps are not run.
	Unsupported map[string]string `json:"unsupported,omitempty"`
	// Missing maps adapters that cannot be set up, and rows whose servers lack something, to the
	// reasons.
	Missing map[string]string `json:"missing,omitempty"`
	// Locks says what each adapter drives: its library and files. A matrix is of one lock each.
	Locks map[string]string `json:"locks,omitempty"`
	By    string            `json:"by,omitempty"`    // the version of lockbench that began it
	Since string            `json:"since,omitempty"` // the matrix before it, to compare findings with
	// Excused reports whether a cell lacks a property for a known reason, so that no run is repeated
	// to find it. It may be nil.
	Excused func(row, column, letter string) bool `json:"-"`
}

// DefaultTTL is short, because the results do not depend on the length of a lease unless a stall of
// the machine is nearly as long.
const DefaultTTL = 500 * time.Millisecond

// Task is one run of a matrix.
type Task struct {
	Row     Row    `json:"-"`
	Column  string `json:"column"`
	Aim     Aim    `json:"-"`
	Attempt int    `json:"attempt"` // from 1 to Options.Repeat
	Seed    uint64 `json:"seed"`
}

// Tasks returns all runs of a matrix in order. The repetitions of an aim are far apart, so that an
// interrupted matrix has seen everything once.
func (o Options) Tasks() ([]Task, error) {
	rs, cs, err := o.rowsAndColumns()
	if err != nil {
		return nil, err
	}
	// All runs of a cell's attempt go to the same shard. Repetitions depend only on them, so that each
	// shard repeats the same runs as the whole matrix.
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

// key identifies a task in all matrices with the same rows and columns.
func (t Task) key() string { return t.Row.Name + "|" + t.Column + "|" + t.Aim.Nemesis }

func (t Task) cell() string { return t.Row.Name + "|" + t.Column }

// run returns the key of a run of the task, as Result.key does.
func (t Task) run() string { return fmt.Sprintf("%s|%d", t.key(), t.Attempt) }

func (t Task) hash() uint64 {
	h := fnv.New64a()
	h.Write([]byte(t.key()))
	return (h.Sum64()>>40)*64 + uint64(t.Attempt)
}

// Plan returns the plan of a task. It has no expectation, because only the whole cell has one.
func (o Options) Plan(t Task) (harness.Plan, error) {
	p, err := harness.NewPlan(o.RunOptions(t.Row, t.Aim, t.Seed))
	p.Place, p.Expect = o.Place, ""
	if p.Declares().Optimistic {
		p.Properties = append(slices.Clip(p.Properties), history.LostUpdate)
	}
	return p, err
}

// load gives the clients of a run the aim's load. Its run may take as long as the load needs.
func (a Aim) load(w *harness.RunOptions, ttl time.Duration) {
	leases := func(f float64) time.Duration { return time.Duration(f * float64(ttl)) }
	w.Cycles, w.Hold, w.Think = a.Cycles, leases(a.Hold), leases(a.Think)
	w.TTL = cmp.Or(leases(a.Lease), w.TTL)
	for _, f := range a.Leases {
		w.Leases = append(w.Leases, history.Duration(leases(f)))
		w.TTL = w.Leases[0].D()
	}
	w.AcquireTimeout = cmp.Or(leases(a.Wait), w.AcquireTimeout)
	if a.Cycles > 0 || w.TTL > ttl {
		w.For = 0
	}
}

// LeaseOf returns the lease of a row's runs under a fault: ttl, or more if the fault needs it, or 0
// for a library that has a lease of its own.
func LeaseOf(r Row, fault string, ttl time.Duration) time.Duration {
	if r.Has(ownLease) {
		return 0
	}
	fs, err := nemesis.Parse(fault)
	if err != nil {
		return ttl // the plan reports the error
	}
	return max(ttl, fs.Lease())
}

// longLeases is the time limit of a run with a library's own lease of up to a minute.
const longLeases = 5 * time.Minute

// RunOptions returns the options of a run of the matrix.
func (o Options) RunOptions(r Row, a Aim, seed uint64) harness.RunOptions {
	ttl := cmp.Or(o.TTL, DefaultTTL)
	w := r.Options(a.Nemesis)
	w.Environment, w.Workload, w.Clients = o.Environment, cmp.Or(a.Workload, r.Workload), a.Clients
	w.Seed, w.TTL, w.Properties, w.Thorough = seed, ttl, batch.Properties, true
	// short, so that locks that wait for a message try again while no client is inside
	w.AcquireTimeout = 2 * ttl / 5
	w.For = 12*ttl + 2*time.Second
	a.load(&w, ttl)
	lease := LeaseOf(r, a.Nemesis, w.TTL)
	if lease > w.TTL {
		w.For = 12*lease + 2*time.Second
	}
	w.TTL = lease
	if a.Patient {
		w.AcquireTimeout = patience * ttl
	}
	if r.Adapter != "" {
		if lease == 0 { // all other times follow from the library's own
			w.For, w.AcquireTimeout = longLeases, 0
		}
		return w
	}
	if r.Has(masters) {
		// the usual twentieth is sometimes too short on a busy machine
		w.NodeTimeout = history.Duration(ttl / 10)
	}
	if r.Has(impls.Posted) {
		w.For = 2 * time.Second
	}
	return w
}
