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

// AimsOf returns the scenarios of a fault that a cell of the matrix runs for the requested lock.
// For a fault without a column it returns all named variants.
func AimsOf(o harness.RunOptions, fault string) (aims []Aim, err error) {
	entry, _, err := nemesis.Find(fault)
	if err != nil {
		return nil, err
	}
	if r, ok := rowOf(o); ok {
		for _, c := range ColumnsOf(fault) {
			why := Impossible(r, c)
			if why != "" && nemesis.Base(c.Fault()) != fault {
				continue // the column is impossible for the sake of another fault
			}
			if why != "" {
				return nil, fmt.Errorf("%s does not go together with %s: %s", fault, r.Name, why)
			}
			for _, a := range c.Aims {
				if a.Suits(r) && nemesis.Base(a.Nemesis) == fault { // a column may have other faults
					aims = append(aims, a)
				}
			}
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

// Apply adds the settings that an aim needs, unless the options already set them.
func (a Aim) Apply(o harness.RunOptions) harness.RunOptions {
	o.Nemesis, o.Clients = a.Nemesis, cmp.Or(o.Clients, a.Clients)
	if a.Patient && o.AcquireTimeout == 0 {
		o.AcquireTimeout = patience * cmp.Or(o.TTL, usualTTL)
	}
	return o
}

const (
	patience = 8               // duration of a patient client's call, in leases
	usualTTL = 2 * time.Second // default lease of a run (docs/design.md, Defaults)
)

// rowOf returns the row of the requested lock. It ignores the number of masters.
func rowOf(o harness.RunOptions) (Row, bool) {
	if o.Adapter != "" {
		rows, err := adapterRows([]string{strings.TrimSpace(o.Adapter + " " + o.Variant)})
		if err != nil {
			return Row{}, false // the run reports the error
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

// ColumnsOf returns the columns that have an aim of a fault.
func ColumnsOf(fault string) []Column {
	return slices.DeleteFunc(slices.Clone(AllColumns()), func(c Column) bool {
		return !slices.ContainsFunc(c.Aims, func(a Aim) bool {
			return nemesis.Base(a.Nemesis) == nemesis.Base(fault)
		})
	})
}

// RowFor returns the row of the lock that a plan runs, and whether there is one. It ignores the
// number of masters. A user's own adapter directory has no row.
func RowFor(p harness.Plan) (Row, bool) {
	o := harness.RunOptions{Impl: p.Impl, Variant: p.Variant, NoWatchdog: p.NoWatchdog}
	if p.Adapter != nil {
		o.Adapter = p.Impl
		if p.Adapter.Dir == "" { // the name of its lock may have a version
			o.Adapter = p.Adapter.Name
		}
	}
	return rowOf(o)
}
