package detection

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// otherForms returns a row for each form of a lock that has no row in the matrix: each variant, and
// each with and without a watchdog.
func otherForms(lock impls.Entry, rows []matrix.Row) (forms []matrix.Row) {
	usual := lock.Defaults(explore.DefaultTTL).Variant
	add := func(variant string, noWatchdog bool) {
		if !slices.ContainsFunc(rows, func(o matrix.Row) bool {
			return o.NoWatchdog == noWatchdog && cmp.Or(o.Variant, usual) == cmp.Or(variant, usual)
		}) {
			forms = append(forms, matrix.NewRow(lock, impls.Row{Name: formName(lock, variant, noWatchdog),
				Variant: variant, NoWatchdog: noWatchdog}))
		}
	}
	for _, v := range lock.Variants {
		add(v, false)
	}
	if lock.Watchdog {
		add("", true)
		add("", false)
	}
	return forms
}

// formName returns the name of a form, as the matrix names its rows.
func formName(lock impls.Entry, variant string, noWatchdog bool) string {
	switch {
	case noWatchdog:
		return "fixed lease"
	case lock.Watchdog:
		return "watchdog"
	}
	return variant
}
