package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// AimsOf returns the scenarios of a fault that a cell of the matrix is made of for a lock as it is
// asked for; of a fault that has no column, every variant that has a name.
func AimsOf(o harness.RunOptions, fault string) (aims []Aim, err error) {
	entry, _, err := nemesis.Find(fault)
	if err != nil {
		return nil, err
	}
	if r, ok := rowOf(o); ok {
		for _, c := range columnsOf(fault) {
			if why := Impossible(r, c); why != "" {
				return nil, fmt.Errorf("%s does not go together with %s: %s", fault, r.Name, why)
			}
			aims = append(aims, c.aimsFor(r)...)
		}
	}
	if len(aims) > 0 {
		return aims, nil
	}
	for _, v := range entry.Variants {
		if v.Name != "N" && v.Name != "DURATION" {
			aims = append(aims, Aim{Nemesis: fault + ":" + v.Name, Control: v.Control})
		}
	}
	if len(aims) == 0 {
		aims = []Aim{{Nemesis: fault}}
	}
	return aims, nil
}

// Apply asks for what an aim needs, as far as nothing else was asked for.
func (a Aim) Apply(o harness.RunOptions) harness.RunOptions {
	o.Nemesis = a.Nemesis
	if o.Clients == 0 {
		o.Clients = a.Clients
	}
	if a.Patient && o.AcquireTimeout == 0 {
		o.AcquireTimeout = patience * cmp.Or(o.TTL, usualTTL)
	}
	return o
}

const (
	patience = 8               // leases that the call of a patient client lasts
	usualTTL = 2 * time.Second // of a run that does not say it (docs/design.md, Defaults)
)

// SameAim reports whether two names are those of one aim, also where one leaves its variant out.
func SameAim(a, b string) bool { return full(a) == full(b) }

// rowOf is the row of a lock as it is asked for. How many masters it uses is another question.
func rowOf(o harness.RunOptions) (Row, bool) {
	if o.Adapter != "" {
		rows, err := adapterRows([]string{strings.TrimSpace(o.Adapter + " " + o.Variant)})
		if err != nil {
			return Row{}, false // the run says why
		}
		r := rows[0]
		r.Traits = slices.DeleteFunc(r.Traits, func(t impls.Trait) bool { return t == ownLease })
		return r, true
	}
	usual := ""
	if e, err := impls.Find(o.Impl); err == nil {
		usual = e.Defaults(o.TTL).Variant
	}
	for _, r := range Rows() {
		if r.Impl == o.Impl && r.NoWatchdog == o.NoWatchdog &&
			(r.Variant == o.Variant || r.Variant == "" && o.Variant == usual) {
			return r, true
		}
	}
	return Row{}, false
}

// columnsOf are the columns that have an aim of a fault.
func columnsOf(fault string) (out []Column) {
	for _, c := range columns() {
		if slices.ContainsFunc(c.Aims, func(a Aim) bool { return base(a.Nemesis) == base(fault) }) {
			out = append(out, c)
		}
	}
	return out
}

// aimsFor are those that are for a lock.
func (c Column) aimsFor(r Row) (out []Aim) {
	for _, a := range c.Aims {
		if a.Suits(r) {
			out = append(out, a)
		}
	}
	return out
}

// base is the fault of a name that may have a variant.
func base(spec string) string {
	name, _, _ := strings.Cut(spec, ":")
	return name
}

// full is a name with its variant, also where that is the one that is meant without.
func full(spec string) string {
	if _, variant, err := nemesis.Find(spec); err == nil {
		return base(spec) + ":" + variant
	}
	return spec
}

// RowFor is the row of the lock that a plan runs, if it has one. How many masters it uses is
// another question, and the folder of a user's own adapter has none.
func RowFor(p harness.Plan) (Row, bool) {
	o := harness.RunOptions{Impl: p.Impl, Variant: p.Variant, NoWatchdog: p.NoWatchdog}
	if p.Adapter != nil {
		o.Adapter = p.Impl
	}
	return rowOf(o)
}

// ColumnsOf are the columns that have an aim of a fault.
func ColumnsOf(fault string) []Column { return columnsOf(fault) }
