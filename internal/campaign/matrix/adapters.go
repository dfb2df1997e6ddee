package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// ownLease is the trait of a variant that keeps the lease of its library. Such a lease may be half
// a minute long, so the variant runs only under a few faults.
const ownLease impls.Trait = "own-lease"

// withOwnLease lists the columns of such variants.
var withOwnLease = []string{"none", "crash", "pause", "failover"}

// All selects every lock in Options.Rows and every library in Options.Adapters. The latter excludes
// recipes and the code that documents posted, which lab/results/fidelity.md compares.
const All = "all"

// adapterRows returns the rows of adapters, one for each variant. The name of the default variant
// is omitted from the name of its row.
func adapterRows(names []string) (rows []Row, err error) {
	if len(names) == 1 && names[0] == All {
		names = libraries()
	}
	for _, name := range names {
		name, variant, _ := strings.Cut(name, " ")
		a, err := adapters.Find(name)
		if err != nil {
			return nil, err
		}
		variants := a.Variants
		if variant != "" {
			v, err := a.Variant(variant)
			if err != nil {
				return nil, err
			}
			variants = []adapters.Variant{v}
		}
		if len(variants) == 0 {
			variants = []adapters.Variant{{}}
		}
		for _, v := range variants {
			r, err := adapterRow(name, a, v)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func libraries() (names []string) {
	for _, a := range adapters.All() {
		if a.Posted == "" && !a.Recipe {
			names = append(names, a.Name)
		}
	}
	return names
}

func adapterRow(name string, a adapters.Adapter, v adapters.Variant) (Row, error) {
	u, err := a.Use(v.Name)
	if err != nil {
		return Row{}, err
	}
	r := Row{Name: a.Name, Impl: a.Name, Adapter: name, Variant: u.Variant,
		Library: cmp.Or(v.Library, strings.TrimSpace(a.Library+" "+a.Version))}
	if len(a.Variants) > 0 && v.Name != a.Variants[0].Name {
		r.Name += " " + v.Name
	}
	if u.System != nemesis.Redis {
		r.Library += ", in " + u.System
		r.Traits = append(r.Traits, unseen)
	}
	for _, t := range u.Traits {
		r.Traits = append(r.Traits, impls.Trait(t))
	}
	if u.Declares.Watchdog {
		r.Traits = append(r.Traits, Watchdog)
	}
	d := u.Declares
	for i, declared := range []bool{d.Cancels, d.Extends, d.Multi, d.Reentrant} {
		if declared {
			r.Traits = append(r.Traits, declarations[i])
		}
	}
	if u.Topology == string(impls.Independent) {
		r.Masters, r.Traits = threeMasters, append(r.Traits, masters)
	}
	if u.OwnLease {
		r.Traits = append(r.Traits, ownLease)
	}
	return r, nil
}

// CountCommon counts what two variants of an adapter have in common: their servers, and options.
func (r Row) CountCommon(other Row) (same int) {
	first, second := r.use(), other.use()
	for name, value := range first.Options {
		if option, has := second.Options[name]; has && value == option {
			same++
		}
	}
	return same + batch.Truth(first.System == second.System)
}

// Unseen returns the properties that do not decide a run of the row because its servers show no
// commands.
func (r Row) Unseen() []string {
	if r.System() == nemesis.Redis {
		return nil
	}
	return harness.Unseen()
}

// System returns the system that stores the row's lock.
func (r Row) System() string { return cmp.Or(r.use().System, nemesis.Redis) }

// use returns the settings of the variant of the adapter that the row runs, or zero for a lock of
// lockbench.
func (r Row) use() (u adapters.Use) {
	if r.Adapter == "" {
		return u
	}
	if a, err := adapters.Find(r.Adapter); err == nil {
		u, _ = a.Use(r.Variant) // zero if it is unknown
	}
	return u
}

// Needs says which servers the row's lock needs.
func (r Row) Needs() string {
	switch system := r.System(); {
	case r.Masters > 0:
		return fmt.Sprintf("%d Redis masters or more", r.Masters)
	case system == nemesis.Redis:
		return "one Redis master"
	default:
		return system
	}
}

// Lock returns what the row's lock declares.
func (r Row) Lock() (impls.Entry, error) {
	if r.Adapter == "" {
		return impls.Find(r.Impl)
	}
	return harness.LockOf(harness.RunOptions{Adapter: r.Adapter, Variant: r.Variant})
}

// rows returns the rows that the options name, or all locks if they name none.
func (o Options) rows() ([]Row, error) {
	if len(o.Adapters) == 0 {
		return FindRows(o.Rows)
	}
	rows, err := adapterRows(o.Adapters)
	if err == nil && len(o.Rows) > 0 {
		var own []Row
		own, err = FindRows(o.Rows)
		rows = append(own, rows...)
	}
	if err != nil {
		return nil, err
	}
	return distinct(rows)
}

// distinct removes duplicate rows. It returns an error if two different rows have the same name,
// because they would share a directory.
func distinct(rows []Row) (out []Row, err error) {
	seen := map[string]string{}
	for _, r := range rows {
		before, known := seen[r.Name]
		if known && before != r.Adapter {
			return nil, fmt.Errorf("two rows would be called %q; run them in a matrix each, or give the "+
				"folder of your own another name", r.Name)
		}
		if !known {
			out = append(out, r)
		}
		seen[r.Name] = r.Adapter
	}
	return out, nil
}

func (o Options) rowsAndColumns() ([]Row, []Column, error) {
	rows, err := o.rows()
	if err != nil {
		return nil, nil, err
	}
	columns, err := findColumns(rows, o.Columns)
	return rows, columns, err
}

// MissingAdapters returns the requested adapters that cannot be set up on this machine, with the
// reasons.
func (o Options) MissingAdapters() (map[string]string, error) {
	return o.ofAdapters(func(a adapters.Adapter) string {
		if err := a.Missing(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// ofAdapters returns what a function says of each adapter of the matrix, unless it says nothing.
func (o Options) ofAdapters(say func(adapters.Adapter) string) (map[string]string, error) {
	rows, err := o.rows()
	said := map[string]string{}
	for _, r := range rows {
		if a, err := adapters.Find(r.Adapter); err == nil {
			said[r.Adapter] = say(a)
		}
	}
	maps.DeleteFunc(said, func(_, what string) bool { return what == "" })
	return said, err
}

// Drives returns what each adapter of the matrix drives now.
func (o Options) Drives() (map[string]string, error) {
	return o.ofAdapters(adapters.Adapter.Drives)
}

// Unchanged returns an error if a matrix was begun with another lockbench, or another lock.
func (o Options) Unchanged(version string) error {
	if o.By != "" && o.By != version {
		return fmt.Errorf("the matrix was begun by lockbench %s, and this is %s; begin another one", o.By,
			version)
	}
	now, err := o.Drives()
	if err != nil {
		return err
	}
	for _, adapter := range slices.Sorted(maps.Keys(o.Locks)) {
		if was, is := o.Locks[adapter], now[adapter]; was != is {
			return fmt.Errorf("the matrix was begun with %s of the adapter %s, and it has %s now; begin "+
				"another one", was, adapter, is)
		}
	}
	return nil
}

// Lacking records the rows that need a command that the servers of the matrix do not have. Try
// opens and closes the environment of a run.
func (o *Options) Lacking(try func(harness.RunOptions) error) error {
	rows, err := o.rows()
	for _, r := range rows {
		if o.Missing[r.Adapter] != "" || len(r.use().Commands) == 0 {
			continue
		}
		w := o.RunOptions(r, Aim{Nemesis: "none"}, 0)
		w.Place = o.Place
		if no, ok := errors.AsType[nemesis.ImpossibleError](try(w)); ok {
			if o.Missing == nil {
				o.Missing = map[string]string{}
			}
			o.Missing[r.Name] = no.Reason.Error()
		}
	}
	return err
}
