package matrix

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Row is a lock with the settings with which the matrix runs it.
type Row struct {
	Name string `json:"name"`
	Impl string `json:"impl"`
	// replaces the lock: the name or directory of an adapter
	Adapter string `json:"adapter,omitempty"`
	// the library that the adapter drives: "redis 8.1.0"
	Library    string        `json:"library,omitempty"`
	Variant    string        `json:"variant,omitempty"`
	NoWatchdog bool          `json:"no_watchdog,omitempty"`
	Masters    int           `json:"masters,omitempty"`
	Workload   string        `json:"workload,omitempty"`
	Traits     []impls.Trait `json:"traits,omitempty"` // used to select aims
}

// Line says how a program asks the row's library for this variant. It returns "" for a lock of
// lockbench.
func (r Row) Line() string {
	a, err := adapters.Find(r.Adapter)
	if err != nil {
		return ""
	}
	v, _ := a.Variant(r.Variant)
	return strings.ReplaceAll(v.Line, "--ttl", "<lease>")
}

// Traits that are derived from a lock's entry.
const (
	Watchdog impls.Trait = "watchdog" // the lease is renewed while a client is inside
	masters  impls.Trait = "masters"  // it uses independent masters
	// the lock is not in Redis, so no breakpoint can stop at a command
	unseen impls.Trait = "unseen"
	// declarations of an adapter
	cancels   impls.Trait = "cancels" // its calls can be given up half-way
	extends   impls.Trait = "extends"
	multi     impls.Trait = "multi"
	reentrant impls.Trait = "reentrant"
	idle      impls.Trait = "idle" // no client ever waits for it, so no fault can be aimed
)

// declarations lists the traits that an adapter declares.
var declarations = []impls.Trait{cancels, extends, multi, reentrant, Watchdog}

// threeMasters is the smallest number of masters with a majority.
const threeMasters = 3

// Rows returns the locks of the matrix in the order of impls.All, with posted locks that cannot be
// used and then controls at the end.
func Rows() (out []Row) {
	for _, e := range impls.All() {
		knobs := e.Rows
		if len(knobs) == 0 {
			knobs = []impls.Row{{}}
		}
		for _, k := range knobs {
			out = append(out, NewRow(e, k))
		}
	}
	slices.SortStableFunc(out, func(a, b Row) int { return a.late() - b.late() })
	return out
}

// NewRow returns the row of a lock with some settings.
func NewRow(e impls.Entry, k impls.Row) Row {
	r := Row{Name: strings.TrimSpace(e.Name + " " + k.Name), Impl: e.Name, Variant: k.Variant,
		NoWatchdog: k.NoWatchdog, Traits: slices.Concat(e.Traits, k.Traits)}
	if e.Watchdog && !k.NoWatchdog {
		r.Traits = append(r.Traits, Watchdog)
	}
	if e.Topology == impls.Independent {
		r.Masters, r.Traits = threeMasters, append(r.Traits, masters)
	}
	if e.Multi {
		r.Workload = "multi"
	}
	if e.Control() {
		r.Traits = append(r.Traits, idle)
	}
	return r
}

// Options returns the options of a run of the row's lock under a fault. The caller sets the times.
func (r Row) Options(fault string) harness.RunOptions {
	w := harness.RunOptions{Impl: r.Impl, Variant: r.Variant, NoWatchdog: r.NoWatchdog,
		Masters: r.Masters, Workload: r.Workload, Nemesis: fault}
	if r.Adapter != "" {
		w.Impl, w.Adapter = "", r.Adapter
	}
	return w
}

// late returns the rank of a row: usable locks, posted ones, controls.
func (r Row) late() int { return batch.Truth(r.Has(impls.Posted)) + 2*batch.Truth(r.Has(idle)) }

// Has reports whether a row has a trait.
func (r Row) Has(trait impls.Trait) bool { return slices.Contains(r.Traits, trait) }
