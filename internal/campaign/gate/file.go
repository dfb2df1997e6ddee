// Package gate checks that locks under faults behave as a gate file expects. It reads the file,
// runs its entries, judges them and reports the result.
package gate

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// File is the content of a gate file: locks under faults, each with an expectation. Read parses it.
type File struct {
	File string `json:"file"`
	// hash of the file; results of different files are never merged
	Digest      string `json:"digest"`
	Environment string `json:"environment"`
	Seed        uint64 `json:"seed"`
	// wall-clock time of the whole gate; 0 means no limit
	Budget       history.Duration `json:"budget,omitempty"`
	AllowUnknown []string         `json:"allow_unknown,omitempty"`
	Entries      []Entry          `json:"entries"`
	// set if the file is a snapshot
	Written *Written `json:"written,omitempty"`

	// Simulate makes the simulator able to run an adapter's lock; nil if none can run there.
	Simulate func(context.Context, harness.RunOptions) error `json:"-"`
	// SimulatePlan does the same for a counterexample.
	SimulatePlan func(context.Context, harness.Plan) error `json:"-"`
}

// Entry is one entry of a gate: a lock under a fault or a counterexample, with its expectation.
type Entry struct {
	Name        string `json:"name"`
	Environment string `json:"environment"`
	// a counterexample instead of a lock and a fault, as a path that can be opened
	Replay string      `json:"replay,omitempty"`
	Expect Expectation `json:"expect"`
	Found  *Found      `json:"found,omitempty"` // instead of an expectation
	// seed of the first run; later runs count up from it
	Seed    uint64 `json:"seed"`
	Seeds   int    `json:"seeds"`
	Repeats int    `json:"repeats"` // of each seed
	// wall-clock time of the entry; 0 means no limit
	Budget  history.Duration `json:"budget,omitempty"`
	Options []Option         `json:"options,omitempty"`
	// the last day on which the file accepts the entry's violations, and where people follow them up
	Until  string `json:"until,omitempty"`
	Ticket string `json:"ticket,omitempty"`

	At   strictyaml.Position `json:"-"`
	Line int                 `json:"line,omitempty"` // line in the file

	asked settings // the decoded Options; zero if the entry was read from gate.json
}

// Option is a setting of an entry's plan. Its name is a flag of `lockbench run` without dashes.
type Option struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Option returns the values of a setting, joined by commas, or "".
func (e Entry) Option(name string) string {
	for _, o := range e.Options {
		if o.Name == name {
			return strings.Join(o.Values, ",")
		}
	}
	return ""
}

// Title describes the entry: the lock and the fault, or the file. An adapter whose path has no
// name, such as ".", has the name of its folder.
func (e Entry) Title() string {
	if e.Replay != "" {
		return "replay of " + e.Replay
	}
	lock := e.lock()
	if strings.Trim(lock, "./") == "" && e.asked.Adapter != "" {
		lock = filepath.Base(e.asked.Adapter)
	}
	return lock + " under " + e.fault()
}

func (e Entry) lock() string { return cmp.Or(e.Option("impl"), e.Option("adapter")) }

func (e Entry) fault() string { return cmp.Or(e.Option("nemesis"), "none") }

// command returns the command line that repeats a run of the entry. If lock is not empty, it
// replaces the lock of the entry.
func (e Entry) command(seed uint64, lock string) string {
	line := advice.Verb("run") + " --env " + e.Environment
	for _, o := range e.Options {
		for _, v := range o.Values {
			if o.Name == "impl" || o.Name == "adapter" {
				v = cmp.Or(lock, v)
			}
			line += " --" + strings.ReplaceAll(o.Name, "_", "-") + "=" + units.Quoted(v)
		}
	}
	return fmt.Sprintf("%s --seed %d", line, seed)
}

// runs returns the largest number of runs of the entry. A search ends at the first run that meets
// the expectation.
func (e Entry) runs() int { return e.Seeds * e.Repeats }

// search reports whether the entry repeats runs until one of them meets the expectation.
func (e Entry) search() bool { return e.Expect.Within > 0 }

func (e Entry) limit() time.Duration {
	if e.search() {
		return e.Expect.Within.D()
	}
	return e.Budget.D()
}

// Allowed reports whether the entry may be unknown.
func (g File) Allowed(name string) bool { return slices.Contains(g.AllowUnknown, name) }

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
