package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
)

// A Form is a kind of command that lockbench prints: a line with a place (%s) for each part that
// varies. All forms are known (Forms), so that a test can run each.
type Form struct {
	Promise
	line    string
	example []string
}

var forms []*Form

// form makes a Form that ends with 0 unless it says otherwise. The example fills its places when a
// test runs it; words in braces stand for files that the test has made.
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

// Forms returns all kinds of commands with fixed words. The caller may keep and change the slice.
func Forms() []*Form { return slices.Clone(forms) }

// Of returns the command whose places are filled with parts, each quoted for a shell.
func (f *Form) Of(parts ...string) Command {
	quoted := make([]any, len(parts))
	for i, p := range parts {
		quoted[i] = units.Quoted(p)
	}
	return Command{Line: program + fmt.Sprintf(f.line, quoted...), Promise: f.Promise}
}

// String returns the line of a form without places.
func (f *Form) String() string { return program + f.line }

// Example returns the words after the program's name with which a test runs the form.
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

// Verb begins a command whose words depend on a run, or names a verb in a sentence.
func Verb(name string) string { return program + name }

const (
	program = "lockbench "
	place   = "%s"
)
