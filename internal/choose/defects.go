package choose

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
)

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
