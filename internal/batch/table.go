package batch

import (
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Table returns a function that reads a table which is built into the program, when it is first
// called. A name that T does not have is refused. What cannot be read is a mistake in the program,
// so that it panics; a test of the room that has the table calls it.
func Table[T any](name, text string) func() T {
	return sync.OnceValue(func() (table T) {
		err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&table)
		if err != nil {
			panic(name + ": " + yaml.FormatError(err, false, false))
		}
		return table
	})
}
