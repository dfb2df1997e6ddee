package batch

import (
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Table returns a function that reads a built-in table when it is first called. It refuses a name
// that T does not have. An unreadable table is a mistake in the program, so it panics; a test of
// the room with the table calls it.
func Table[T any](name, text string) func() T {
	return sync.OnceValue(func() (table T) {
		err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&table)
		if err != nil {
			panic(name + ": " + yaml.FormatError(err, false, false))
		}
		return table
	})
}
