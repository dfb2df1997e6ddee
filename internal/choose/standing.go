package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
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

// deadly are the faults after which no lock can let a client in, whatever a short run shows: every
// server that it needs, or a majority, is dead for good.
var deadly = []string{"node-crash", "majority-loss"}

func (s source) standing(r matrix.Row, column string, q Query) Standing {
	cell := s.Cell(r.Name, column)
	if cell == nil || cell.Elsewhere {
		return Standing{Against: column + " was not run"}
	}
	found, open := q.counts(cell.Found()), q.counts(cell.Unknown())
	if len(open) > 0 {
		unseen := r.Unseen()
		open = slices.DeleteFunc(open, func(p string) bool { return slices.Contains(unseen, p) })
	}
	switch {
	case cell.Impossible != "":
		return Standing{Against: column + " cannot be tried: " + cell.Impossible,
			Never: impossible(r, column) != ""}
	case len(found) > 0:
		return s.broken(cell, found, q)
	case q.NoOutage && slices.Contains(deadly, column):
		return Standing{Against: column + " leaves no server that could let a client in", Broken: true}
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

// FaultNames names the faults under which the locks of k were compared.
func (k *Known) FaultNames() string {
	if k.Fault == crash {
		return crash
	}
	return k.Fault + " and " + crash
}

// Choose returns the command that lists all locks that stay clean under the fault.
func (k *Known) Choose() advice.Command {
	return advice.Command{Line: Query{Faults: []string{k.Fault}}.Command(), Promise: advice.Promise{
		Exits: []int{checker.ExitExpected},
		Says:  []string{fmt.Sprintf("%d of the %s", k.Remain, units.Count(k.Asked, "lock"))}}}
}

// defects returns the deciding properties that a cell violates by a defect of the lock itself.
func defects(cell *matrix.Cell) []string {
	return slices.DeleteFunc(slices.Clone(cell.Found()), func(letter string) bool {
		row, _ := history.FindProperty(letter)
		return row.Reported || excused(cell, letter)
	})
}

// grave reports whether a cell shows a defect of the lock itself, other than two holders one of
// whom had surely lost its lease.
func grave(cell *matrix.Cell) bool {
	const s = checker.MutualExclusion
	leased := func(r matrix.Result) bool { // both holders may have had a lease
		return !r.Control && r.Properties[s] == checker.Violated && !outside(r.Classes[s]) &&
			r.Properties[checker.LeaseExclusion] != checker.Valid
	}
	return slices.ContainsFunc(defects(cell), func(letter string) bool {
		return letter != s || slices.ContainsFunc(cell.Runs, leased)
	})
}

// excused reports whether all violations of a property in a cell are of a class that no lock of its
// kind can prevent: an overrun, a write that the environment lost, or a wrong clock.
func excused(cell *matrix.Cell, letter string) bool {
	some := false
	for _, r := range cell.Runs {
		if r.Control || r.Properties[letter] != checker.Violated {
			continue
		}
		if !outside(r.Classes[letter]) {
			return false
		}
		some = true
	}
	return some
}

// outside reports whether a violation of a class has a cause outside the lock.
func outside(class string) bool {
	return checker.FindClass(class).Outside != ""
}
