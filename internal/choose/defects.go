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

// Under names the faults under which the locks of a Known were compared.
func (k *Known) Under() string {
	if k.Fault == crash {
		return crash
	}
	return k.Fault + " and " + crash
}

// Choose returns the command that names all locks that stay clean under the fault.
func (k *Known) Choose() advice.Command {
	return advice.Command{Line: Query{Faults: []string{k.Fault}}.Command(), Promise: advice.Promise{
		Exits: []int{checker.ExitExpected},
		Says:  []string{fmt.Sprintf("%d of the %s", k.Remain, units.Count(k.Asked, "lock"))}}}
}

// defects returns the letters that decide and that a cell shows by a defect of the lock itself.
func defects(cell *matrix.Cell) []string {
	return slices.DeleteFunc(slices.Clone(cell.Found()), func(letter string) bool {
		row, _ := history.FindProperty(letter)
		return row.Reported || excused(cell, letter)
	})
}

// excused reports whether all runs of a cell that violate a letter do so by a class that no lock of
// its kind can prevent: an overrun, or a write or a clock that the environment lost.
func excused(cell *matrix.Cell, letter string) bool {
	some := false
	for _, r := range cell.Runs {
		if r.Control || r.Properties[letter] != checker.Violated {
			continue
		}
		class := r.Classes[letter]
		if !checker.FindClass(class).Overrun && !slices.Contains(environmental, class) {
			return false
		}
		some = true
	}
	return some
}

// environmental are the classes whose cause lies outside of the lock.
var environmental = []string{checker.LostByFailover, checker.Vanished, checker.Clock}
