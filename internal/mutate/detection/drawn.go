package detection

import (
	"context"
	"slices"

	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/matrix"
)

// drawn searches with moments that are drawn, under every fault that has such a form. It ends with
// the first finding; without known letters it finds what there is.
func (a *answering) drawn(ctx context.Context) error {
	rows, columns, err := matrix.RowsAndColumns([]string{a.Lock}, nil)
	if err != nil {
		return err
	}
	for _, r := range rows {
		for _, c := range columns {
			if matrix.Impossible(r, c) != "" {
				continue
			}
			if found, err := a.search(ctx, r, c); err != nil || found && a.Known != nil {
				return err
			}
		}
	}
	return nil
}

// search looks for the letters that the lock does not show as it is, one after the other.
func (a *answering) search(ctx context.Context, r matrix.Row, c matrix.Column) (bool, error) {
	wanted := a.Known.fresh(r.Name, c.Name, letters())
	any := false
	for len(wanted) > 0 {
		a.announce(Line{Row: r.Name, Fault: c.Name, Drawn: true})
		hit, err := a.hit(ctx, r, c.Fault(), wanted)
		if err != nil || hit == "" {
			if err != nil {
				a.say(Line{Row: r.Name, Fault: c.Name, Drawn: true, Broken: err.Error()})
			}
			break
		}
		any = true
		a.say(Line{Row: r.Name, Fault: c.Name, Drawn: true, Letters: []string{hit}})
		if a.Known != nil {
			return true, nil
		}
		wanted = slices.DeleteFunc(wanted, func(l string) bool { return l == hit })
	}
	return any, nil
}

// hit is the first letter of those wanted that a search finds; "": none.
func (a *answering) hit(ctx context.Context, r matrix.Row, fault string,
	wanted []string) (string, error) {
	moments := explore.Drawn
	if fault == noFault {
		moments = explore.Aimed // there is nothing to draw but the schedule
	}
	s := explore.Search{Options: r.Options(fault), Properties: wanted, Schedule: explore.Portfolio,
		Moments: moments, Seeds: a.Drawn, Jobs: 1}
	s.Options.Seed = a.Seed
	hits, done, err := s.Find(ctx)
	a.runs += done.Runs
	if err != nil || len(hits) == 0 {
		return "", err
	}
	return hits[0].Property, nil
}
