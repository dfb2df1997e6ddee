// Package advice holds the commands that lockbench prints for its user to type, each with a promise
// of its result.
package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
)

// A Command is a line that lockbench prints, with the promised result.
type Command struct {
	Line string
	Promise
}

// String returns the command line.
func (c Command) String() string { return c.Line }

// MarshalText returns the line: the promise is not printed.
func (c Command) MarshalText() ([]byte, error) { return []byte(c.Line), nil }

// A Promise is the expected result of a command. Every command promises that lockbench accepts it.
type Promise struct {
	Exits    []int    // it ends with one of these; if empty, with any but 254 and 255
	Violated []string // letters that the run violates
	Kept     []string // letters that the run does not violate
	Says     []string // words that it prints
}

// A Form is a kind of command that lockbench prints: a line with a place (%s) for each part that
// varies. All forms are known (Forms), so that a test can run each.
type Form struct {
	Promise
	line    string
	example []string
}

var forms []*Form

// form creates a Form that promises exit code 0 unless ends changes that. A test fills its places
// with the example. The test replaces words in braces by files that it creates.
func form(line string, example ...string) *Form {
	f := &Form{Promise{Exits: []int{0}}, line, example}
	forms = append(forms, f)
	return f
}

// ends sets the exit codes that a form promises.
func (f *Form) ends(codes ...int) *Form {
	f.Exits = codes
	return f
}

// Forms returns all forms. The caller may keep and change the slice.
func Forms() []*Form { return slices.Clone(forms) }

// Fill returns the command whose places are filled with parts, each quoted for a shell.
func (f *Form) Fill(parts ...string) Command {
	quoted := make([]any, len(parts))
	for i, p := range parts {
		quoted[i] = units.Quoted(p)
	}
	return Command{Line: program + fmt.Sprintf(f.line, quoted...), Promise: f.Promise}
}

// String returns the line of a form without places.
func (f *Form) String() string { return program + f.line }

// Example returns the arguments with which a test runs the form.
func (f *Form) Example() []string {
	parts := slices.Clone(f.example)
	var words []string
	for _, w := range strings.Fields(f.line) {
		if w == place {
			w, parts = parts[0], parts[1:]
		}
		words = append(words, w)
	}
	return words
}

// Verb returns the start of a command whose arguments depend on a run, or the name of a verb in a
// sentence.
func Verb(name string) string { return program + name }

const (
	program = "lockbench "
	place   = "%s"
)

// The commands with fixed words that lockbench prints.
var (
	ListImpls    = form("list impls")
	ListAdapters = form("list adapters")
	ListNemeses  = form("list nemeses")
	Doctor       = form("doctor")
	DoctorAll    = form("doctor --all")

	RunLock = form("run --impl token-lua")
	RunPlan = form("run --plan %s", "{plan}")

	ControlLock    = form("run --impl %s --nemesis %s", "token-lua", "pause:short")
	ControlLibrary = form("run --adapter %s --nemesis %s", "{adapter}", "pause:short")

	// Check ends with the exit code of the run.
	Check = form("check %s", "{run}")
	// CheckLetters judges a run by some properties.
	CheckLetters = form("check --properties %s %s", "S", "{run}").ends(0, 1, 2)

	ExploreAdapter = form("explore --adapter %s", "{adapter}").ends(0, 1)
	Replay         = form("replay %s", "{counterexample}").ends(0, 1)
	ReplayReal     = form("replay --env process %s", "{counterexample}").ends(0, 1)
	ReplayIn       = form("replay --env %s %s", "sim", "{counterexample}").ends(0, 1)

	GateInit     = form("gate --init")
	GateInitFile = form("gate --init %s", "{new}")
	GateMyLock   = form("gate --init --adapter ./mylock")
	Gate         = form("gate %s", "{gate}")
	GateAlone    = form("gate %s --only %s --jobs 1", "{gate}", "{entry}")
	GateResume   = form("gate %s --resume %s", "{gate}", "{interrupted}")

	MatrixResume  = form("matrix --resume %s", "{matrix}")
	MatrixLock    = form("matrix --impl %s --nemesis %s --repeat 20", "token-lua", "crash")
	MatrixLibrary = form("matrix --adapters %s --nemesis %s --repeat 20", "{adapter}", "crash")

	MergeHelp = form("merge --help")
	TourFrom  = form("tour --from %s", "{step}")
)
