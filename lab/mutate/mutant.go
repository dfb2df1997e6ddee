// Package mutate derives small defects from the Go and Lua source of the locks. It compiles all of
// them into one program, in which an environment variable selects one. The operators are general
// and know nothing about single locks. A table says which source belongs to which lock. Start
// reading at Derive.
package mutate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The operators. Each is a kind of small mistake.
const (
	DropArgument    = "drop an argument of a command"
	ScaleNumber     = "scale a number"
	Negate          = "negate a comparison"
	DropComparison  = "drop a comparison"
	DropCommand     = "drop a command"
	MoveCommand     = "move a command"
	RepeatCommand   = "duplicate a command"
	DropCall        = "drop a call"
	DropAssignment  = "drop an assignment"
	ConstantForOne  = "a constant for a variable"
	SwallowError    = "swallow an error"
	OffByOne        = "a bound off by one"
	OtherClock      = "another clock"
	elsewhereSuffix = " #%d"
)

// Operators lists the operators in the order of the page.
func Operators() []string {
	return []string{DropArgument, ScaleNumber, Negate, DropComparison, DropCommand, MoveCommand,
		RepeatCommand, DropCall, DropAssignment, ConstantForOne, SwallowError, OffByOne, OtherClock}
}

// Mutant is a lock with one small defect.
type Mutant struct {
	Lock     string `json:"lock"`     // the tested lock, by its name in the table of locks
	File     string `json:"file"`     // in the directory of the locks
	Line     int    `json:"line"`     // of the change, from 1
	Where    string `json:"where"`    // the function; empty in a script or at the top level
	Operator string `json:"operator"` // one of Operators
	Old      string `json:"old"`      // the replaced text, on one line
	New      string `json:"new"`      // the new text, or ""

	edits []edit
}

// Key identifies a mutant as long as the changed text and its function stay the same. It does not
// depend on the line.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s: %s: %s → %s", m.File, m.Where, m.Operator, m.Old, m.New)
}

// edit is a change of a text, by byte offsets.
type edit struct {
	from, to int
	text     string
}

// apply returns the text with all edits. They must not overlap.
func apply(text string, edits []edit) string {
	edits = slices.SortedStableFunc(slices.Values(edits), func(a, b edit) int {
		return cmp.Compare(a.from, b.from)
	})
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// oneLine puts a piece of source on one line for a list.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// number makes the keys of all mutants unique. It appends " #2" to the old text of the second
// mutant with the same key.
func number(all []Mutant) {
	seen := map[string]int{}
	for i := range all {
		key := all[i].Key()
		if seen[key]++; seen[key] > 1 {
			all[i].Old += fmt.Sprintf(elsewhereSuffix, seen[key])
		}
	}
}
