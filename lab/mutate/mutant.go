// Package mutate derives small defects from the source of the locks, in Go and in Lua, and compiles
// all of them into one program, in which the environment chooses one. It knows nothing of any one
// lock: the operators are general, and a table says which source belongs to which lock. Begin with
// Derive.
package mutate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The operators: what kind of small mistake a mutant is.
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
	Lock     string `json:"lock"`     // the lock that is asked, by its name in the table of locks
	File     string `json:"file"`     // in the folder of the locks
	Line     int    `json:"line"`     // of the change, from 1
	Where    string `json:"where"`    // the function; "" in a script or at the top level
	Operator string `json:"operator"` // one of Operators
	Old      string `json:"old"`      // the text that is changed, on one line
	New      string `json:"new"`      // what stands there instead; "": nothing

	edits []edit
}

// Key names a mutant as long as the changed text and its function stay as they are: a line that
// moves does not matter.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s: %s: %s → %s", m.File, m.Where, m.Operator, m.Old, m.New)
}

// edit is a change of a text, by offsets of bytes.
type edit struct {
	from, to int
	text     string
}

// apply returns the text with all edits, which do not overlap.
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

// oneLine is a piece of source as a list shows it.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// number tells mutants apart that would have the same key: the second gets " #2" after its old
// text.
func number(all []Mutant) {
	seen := map[string]int{}
	for i := range all {
		key := all[i].Key()
		if seen[key]++; seen[key] > 1 {
			all[i].Old += fmt.Sprintf(elsewhereSuffix, seen[key])
		}
	}
}
