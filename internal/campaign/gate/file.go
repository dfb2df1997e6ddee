package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// File is what a gate file says: locks under faults, and what is expected of each. The file
// is read by Read.
type File struct {
	File string `json:"file"`
	// of the file's bytes: results of two different files are never joined
	Digest       string           `json:"digest"`
	Environment  string           `json:"environment"`
	Seed         uint64           `json:"seed"`
	Budget       history.Duration `json:"budget,omitempty"` // of the whole gate, wall clock; 0: none
	AllowUnknown []string         `json:"allow_unknown,omitempty"`
	Entries      []Entry          `json:"entries"`
	// of a snapshot: how its lock was
	Written *Written `json:"written,omitempty"`
}

// Entry is one line of a gate: a lock under a fault, or a counterexample, and what is expected of
// it.
type Entry struct {
	Name        string `json:"name"`
	Environment string `json:"environment"`
	// a counterexample instead of a lock and a fault; the path as it can be opened
	Replay  string           `json:"replay,omitempty"`
	Expect  Expectation      `json:"expect"`
	Found   *Found           `json:"found,omitempty"` // instead of an expectation
	Seed    uint64           `json:"seed"`            // of the first run; the others count from there
	Seeds   int              `json:"seeds"`
	Repeats int              `json:"repeats"`          // of each seed
	Budget  history.Duration `json:"budget,omitempty"` // of the entry, wall clock; 0: none
	Options []Option         `json:"options,omitempty"`

	At   strictyaml.Position `json:"-"`
	Line int                 `json:"line,omitempty"` // of the file

	asked settings // what Options say; zero in an entry that was read from gate.json
}

// Option is a setting of an entry's plan: the name of a flag of `lockbench run` without its dashes,
// and its values.
type Option struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Option returns the values of a setting, joined; "" if there is none.
func (e Entry) Option(name string) string {
	for _, o := range e.Options {
		if o.Name == name {
			return strings.Join(o.Values, ",")
		}
	}
	return ""
}

// Title is what the entry is about, in a few words: the lock and the fault, or the file.
func (e Entry) Title() string {
	if e.Replay != "" {
		return "replay of " + e.Replay
	}
	return e.lock() + " under " + e.fault()
}

func (e Entry) lock() string { return cmp.Or(e.Option("impl"), e.Option("adapter")) }

func (e Entry) fault() string { return cmp.Or(e.Option("nemesis"), "none") }

// command is the command line that does a run of the entry with another build of the lock, or of
// lockbench, and with the lock that its file was measured with; "": the same.
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

// runs is how many runs the entry has at most. A search ends at the first that finds what is
// expected.
func (e Entry) runs() int { return e.Seeds * e.Repeats }

// search reports whether the entry's runs are done one after the other until one of them finds what
// is expected.
func (e Entry) search() bool { return e.Expect.Within > 0 }

// limit is how long the entry may take.
func (e Entry) limit() time.Duration {
	if e.search() {
		return e.Expect.Within.D()
	}
	return e.Budget.D()
}

// Allowed reports whether the entry may be unknown.
func (g File) Allowed(name string) bool { return slices.Contains(g.AllowUnknown, name) }
