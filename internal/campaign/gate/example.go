package gate

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
)

//go:embed example.yaml
var example []byte

// WriteExample writes an example of a gate file. It never overwrites a file.
func WriteExample(name string) error { return writeNew(name, example) }

// ReadFile reads a gate file.
func ReadFile(name string) (*File, error) {
	src, err := units.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist; `%s` writes an example", name, advice.GateInit)
	} else if err != nil {
		return nil, err
	}
	g, err := Read(name, src)
	if err != nil {
		return nil, err
	}
	for _, e := range g.Entries {
		if g.Written == nil && e.Found.unmeasured() {
			return nil, e.At.Errorf("entry %q: found has no runs, so that any lock would pass; measure it "+
				"with `%s`, or write `expect:`", e.Name, advice.GateInit)
		}
	}
	return g, nil
}

// Named returns an error if a name belongs to no entry. The error mentions the flag.
func (g *File) Named(flag string, names []string) error {
	var all []string
	for _, e := range g.Entries {
		all = append(all, fmt.Sprintf("%q", e.Name))
	}
	for _, name := range names {
		if !slices.Contains(all, fmt.Sprintf("%q", name)) {
			return fmt.Errorf("%s %q is the name of no entry; there are: %s", flag, name,
				strings.Join(all, ", "))
		}
	}
	return nil
}
