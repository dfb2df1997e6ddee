package matrix

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Column is a fault of the matrix, with the scenarios that are aimed at a lock to see whether the
// fault hurts it.
type Column struct {
	Name string `json:"name"`
	Line string `json:"line"` // describes the fault in one line
	Aims []Aim  `json:"aims"`
	// The fault concerns commands that a client resends by itself. The clients of lockbench's own
	// locks never do that.
	Libraries bool `json:"libraries,omitempty"`
}

// Aim is one scenario of a column.
type Aim struct {
	Nemesis string        `json:"nemesis"`
	Only    []impls.Trait `json:"only,omitempty"` // traits of the locks that it suits; if empty, all
	Not     []impls.Trait `json:"not,omitempty"`  // traits of the locks that it does not suit
	// the same schedule without its harmful part; it must find nothing that needs a fault
	Control bool `json:"control,omitempty"`
	// If it is two, no other client's commands hide what the two do to each other.
	Clients int  `json:"clients,omitempty"`
	Patient bool `json:"patient,omitempty"` // a client's call lasts for several leases
	// instead of the row's own
	Workload string `json:"workload,omitempty"`
	// of each client
	Cycles int `json:"cycles,omitempty"`
	// Times of the clients, in leases of the matrix. If zero, the usual one is used.
	Lease  float64   `json:"lease,omitempty"`
	Leases []float64 `json:"leases,omitempty"` // of the clients by turns, the longest first
	Hold   float64   `json:"hold,omitempty"`
	Think  float64   `json:"think,omitempty"`
	Wait   float64   `json:"wait,omitempty"` // of one acquire
}

//go:embed columns.yaml
var columnsYAML string

// AllColumns returns all columns: first the ones of docs/locks/expected.md in its order, and then
// additional ones.
var AllColumns = batch.Table[[]Column]("columns.yaml", columnsYAML)

// Columns returns the faults of the matrix of lockbench's own locks. The caller may keep and change
// the slice.
func Columns() []Column {
	return slices.DeleteFunc(slices.Clone(AllColumns()), func(c Column) bool { return c.Libraries })
}

// Fault returns the fault of a column as a search names it. It is the fault of the first scenario,
// without its moment.
func (c Column) Fault() string {
	name, variant, _ := strings.Cut(c.Aims[0].Nemesis, ":")
	if variant == "+" || variant == "-" {
		return name + ":" + variant
	}
	return name
}

// lacks returns the first declaration that every aim of the column needs and a row lacks, or "".
func (c Column) lacks(r Row) impls.Trait {
	for _, t := range c.Aims[0].Only {
		if slices.Contains(declarations, t) && !r.Has(t) {
			return t
		}
	}
	return ""
}

// Suits reports whether an aim is for a row.
func (a Aim) Suits(r Row) bool {
	return !slices.ContainsFunc(a.Only, func(t impls.Trait) bool { return !r.Has(t) }) &&
		!slices.ContainsFunc(a.Not, r.Has)
}

// unsupported returns the reason why a scenario is not possible in the environment, or "".
func (o Options) unsupported(r Row, a Aim) string {
	never := nemesis.CapabilitiesOf(o.Environment).Unsupported() // on any machine
	if len(o.Unsupported) == 0 && len(never) == 0 && r.Adapter == "" {
		return ""
	}
	p, err := harness.NewPlan(o.RunOptions(r, a, 0))
	if no, ok := errors.AsType[nemesis.ImpossibleError](err); ok { // as with another system's servers
		return no.Reason.Error()
	}
	if err != nil {
		return "" // its run reports the error
	}
	for _, s := range p.Scenario {
		if why := cmp.Or(o.Unsupported[s.Do], never[s.Do]); why != "" {
			return fmt.Sprintf("this environment cannot %s: %s", s.Do, why)
		}
	}
	return ""
}

// impossible returns the reason why nothing can be run in a cell, or "". Either the lock and the
// fault do not fit, or the environment supports none of the fault's scenarios.
func (o Options) impossible(r Row, c Column) string {
	if why := cmp.Or(o.Missing[r.Adapter], o.Missing[r.Name]); why != "" {
		return why
	}
	why := Impossible(r, c)
	if why != "" {
		return why
	}
	for _, a := range c.Aims {
		if !a.Suits(r) {
			continue
		}
		lacks := o.unsupported(r, a)
		if lacks == "" {
			return ""
		}
		why = lacks
	}
	return why
}
