package matrix

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Column is a fault as the matrix has it: the hazard, and the scenarios that are aimed at
// a lock to see whether it happens.
type Column struct {
	Name string `json:"name"`
	Line string `json:"line"` // what happens, in one line
	Aims []Aim  `json:"aims"`
	// it is about what a client sends again by itself: lockbench's own locks send nothing again
	Libraries bool `json:"libraries,omitempty"`
}

// Aim is one scenario of a column.
type Aim struct {
	Nemesis string        `json:"nemesis"`
	Only    []impls.Trait `json:"only,omitempty"` // traits of the locks that it is for; all of them
	Not     []impls.Trait `json:"not,omitempty"`  // traits of the locks that it is not for
	// the same schedule without its sting: it must find what no fault finds
	Control bool `json:"control,omitempty"`
	// with two, no other client's command hides what the two do to each other
	Clients int  `json:"clients,omitempty"`
	Patient bool `json:"patient,omitempty"` // a client's call lasts for several leases
}

//go:embed columns.yaml
var columnsYAML string

// columns is the closed list: those of docs/locks/expected.md in its order, then ours.
var columns = batch.Table[[]Column]("columns.yaml", columnsYAML)

// Columns returns the faults of the matrix of lockbench's own locks. The caller may keep and change
// the slice.
func Columns() []Column {
	return slices.DeleteFunc(slices.Clone(columns()), func(c Column) bool { return c.Libraries })
}

// Fault is the fault of a column by the name that a search draws from: that of its first scenario,
// without the moment that it is aimed at.
func (c Column) Fault() string {
	name, variant, _ := strings.Cut(c.Aims[0].Nemesis, ":")
	if variant == "+" || variant == "-" {
		return name + ":" + variant
	}
	return name
}

// Suits reports whether an aim is for a lock.
func (a Aim) Suits(r Row) bool {
	return !slices.ContainsFunc(a.Only, func(t impls.Trait) bool { return !r.Has(t) }) &&
		!slices.ContainsFunc(a.Not, r.Has)
}
