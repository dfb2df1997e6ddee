package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
)

// Standing is the result of a lock under one fault.
type Standing struct {
	Against string // the reason why the lock does not remain, or ""
	Broken  bool   // a property that counts is violated; otherwise Against means unknown
	Never   bool   // the fault cannot happen to the servers of the lock
	Remark  string // the condition under which the fault does harm
}

func (s source) standing(r matrix.Row, column string, q Query) Standing {
	cell := s.Cell(r.Name, column)
	if cell == nil || cell.Elsewhere {
		return Standing{Against: column + " was not run"}
	}
	found, open := q.counts(cell.Found()), q.counts(cell.Unknown())
	open = slices.DeleteFunc(open, func(p string) bool { return slices.Contains(r.Unseen(), p) })
	switch {
	case cell.Impossible != "":
		return Standing{Against: column + " cannot be tried: " + cell.Impossible,
			Never: impossible(r, column) != ""}
	case len(found) > 0:
		return s.broken(cell, found, q)
	case len(open) > 0:
		return Standing{Against: fmt.Sprintf("%s: %s not known", column,
			strings.Join(open, ", ")+units.Plural(len(open), " is", " are"))}
	case s.runs(cell) == 0:
		return Standing{Against: column + ": no run told anything"}
	}
	return Standing{}
}

// broken returns the standing of a lock that violated properties that count.
func (s source) broken(cell *matrix.Cell, found []string, q Query) Standing {
	t := Standing{Against: fmt.Sprintf("%s violates %s", cell.Column, s.often(cell, found)),
		Broken: true}
	only, sure := onlyOverrun(cell, found)
	switch {
	case !only || !q.short():
	case sure:
		return Standing{Remark: t.Against + " only if work outlasts the lease; yours does not"}
	default:
		t.Against += " only if work outlasts the rest of the lease of its session: " +
			"the lock does not say how much that is at a grant"
	}
	return t
}

// short reports whether the user's work, including a pause, ends within the lease.
func (q Query) short() bool { return q.Work > 0 && q.Work+q.Pause < q.Lease }

// stays is the suffix of an aim whose holder stays inside until another client is inside as well.
const stays = ":stay"

// onlyOverrun reports whether the only violation is that a holder outlasted its lease by staying
// inside until another client entered. It is sure if no lease of these runs was still valid then,
// which means that a grant gives a whole lease.
func onlyOverrun(c *matrix.Cell, found []string) (only, sure bool) {
	if len(found) != 1 || found[0] != checker.MutualExclusion {
		return false, false
	}
	sure = true
	for _, r := range c.Runs {
		if r.Control || r.Unfit() || r.Properties[checker.MutualExclusion] != checker.Violated {
			continue
		}
		if !strings.HasSuffix(r.Nemesis, stays) ||
			!checker.FindClass(r.Classes[checker.MutualExclusion]).Overrun {
			return false, false
		}
		only, sure = true, sure && r.Properties[checker.LeaseExclusion] == checker.Valid
	}
	return only, only && sure
}

// counts returns the properties that count for the user.
func (q Query) counts(properties []string) []string {
	return slices.DeleteFunc(slices.Clone(properties), func(p string) bool {
		row, _ := history.FindProperty(p)
		switch p {
		case checker.Outage:
			return !q.NoOutage
		case checker.MutualExclusion, checker.LeaseExclusion, checker.Validity, checker.OwnerRelease:
			return q.Fencing
		}
		return row.Reported
	})
}

// often says how often each of these properties was violated.
func (s source) often(c *matrix.Cell, found []string) string {
	var out []string
	for _, r := range s.rates(c) {
		if ps := slices.DeleteFunc(slices.Clone(r.Properties), func(p string) bool {
			return !slices.Contains(found, p)
		}); len(ps) > 0 {
			out = append(out, fmt.Sprintf("%s in %d of %s", strings.Join(ps, ", "), r.Hits,
				units.Count(r.Of, "run")))
		}
	}
	if len(out) == 0 { // it is also found without any fault
		return strings.Join(found, ", ")
	}
	return units.List(out)
}
