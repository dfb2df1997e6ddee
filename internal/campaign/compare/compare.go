// Package compare compares two runs, two matrices or two gates and reports the changes that are
// more than noise.
package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Side is one of two runs, matrices or gates to compare. Load reads it.
type Side struct {
	Name        string            `json:"name"` // its directory
	Kind        string            `json:"kind"` // run, matrix or gate
	Environment string            `json:"environment"`
	Machine     string            `json:"machine,omitempty"`
	Versions    map[string]string `json:"versions,omitempty"`
	Settings    map[string]string `json:"-"` // settings of the run
	Items       []Item            `json:"-"`
}

// Item is a lock under a fault: a run, a cell of a matrix, or an entry of a gate. It may also be
// the runs of a matrix that measure the cost of a lock.
type Item struct {
	Name     string
	Under    string            // the fault, if items of two locks may be compared
	Settings map[string]string // in addition to the settings of its side
	Gate     gate.Outcome      // set for an entry of a gate
	Trials   []Trial
}

// Trial is one run of an item.
type Trial struct {
	batch.Finding
	Aim  string     // the scenario; runs of the same scenario are repetitions
	Cost batch.Cost // measured cost; zero if its record no longer exists

	// its directory relative to the side's directory; empty if there is none or the cost is known
	record string
}

// Comparison is the result of comparing two sides.
type Comparison struct {
	Format  int      `json:"format"`
	A       Side     `json:"a"`
	B       Side     `json:"b"`
	Differ  []Field  `json:"differ"` // differences of the settings
	Times   bool     `json:"times_comparable"`
	Pairs   []Pair   `json:"pairs"`
	Overall []Metric `json:"overall,omitempty"` // over all pairs
	OnlyA   []string `json:"only_a,omitempty"`
	OnlyB   []string `json:"only_b,omitempty"`
}

// Field is a setting that differs between the sides.
type Field struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Pair is an item that both sides have.
type Pair struct {
	Name       string         `json:"name"`
	Differ     []Field        `json:"differ,omitempty"`
	Properties []PropertyPair `json:"properties"` // empty if it only measures costs
	Metrics    []Metric       `json:"metrics,omitempty"`
}

// Compare compares two sides. It returns an error if they have nothing in common.
func Compare(a, b *Side) (*Comparison, error) {
	if a.Kind != b.Kind {
		return nil, fmt.Errorf("%s is a %s and %s is a %s; compare two of one kind", a.Name, a.Kind,
			b.Name, b.Kind)
	}
	c := &Comparison{Format: batch.Format, A: *a, B: *b, Times: a.Environment == b.Environment &&
		a.Machine == b.Machine && a.Machine != batch.SeveralMachines}
	c.Differ = c.sides()
	as, bs := c.match()
	if len(as) == 0 {
		return nil, fmt.Errorf("they have nothing in common: %s has %s; %s has %s", a.Name,
			names(a.Items), b.Name, names(b.Items))
	}
	for i := range as {
		c.Pairs = append(c.Pairs, newPair(as[i], bs[i], c.exact(as[i], bs[i])))
	}
	c.judgeCosts(as, bs)
	return c, nil
}

// exact reports whether a pair was simulated with the same seeds. Such runs are identical step by
// step. More runs have other seeds, too.
func (c *Comparison) exact(a, b Item) bool {
	of := func(s Side, i Item) (environment, seed string) {
		return cmp.Or(i.Settings["environment"], s.Environment),
			cmp.Or(i.Settings["seed"], s.Settings["seed"])
	}
	environment, seed := of(c.A, a)
	other, otherSeed := of(c.B, b)
	return environment == "sim" && other == "sim" && seed == otherSeed &&
		len(a.Trials) == len(b.Trials)
}

// sides returns the differences of the sides as a whole.
func (c *Comparison) sides() (out []Field) {
	add := func(name, a, b string) {
		if a != b {
			out = append(out, Field{name, a, b})
		}
	}
	add("environment", c.A.Environment, c.B.Environment)
	add("machine", c.A.Machine, c.B.Machine)
	return slices.Concat(out, differences(c.A.Versions, c.B.Versions, "version of "),
		differences(c.A.Settings, c.B.Settings, ""))
}

// differences returns the keys whose values differ between two maps.
func differences(a, b map[string]string, prefix string) (out []Field) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		if a[k] != b[k] {
			out = append(out, Field{prefix + k, a[k], b[k]})
		}
	}
	return out
}

// versions finds the version in the name of a library.
var versions = regexp.MustCompile(`@[^ ,]+`)

// match pairs items by their names. If the sides have no name in common, they are of two versions
// of a library, or of two different locks. Then it pairs their only items, or pairs items by fault.
func (c *Comparison) match() (as, bs []Item) {
	byName := func(i Item) string { return i.Name }
	as, bs = c.by(byName)
	if len(as) == 0 { // of two versions of a library: "redis-py@5.0.4, pause"
		byName = func(i Item) string { return versions.ReplaceAllString(i.Name, "") }
		as, bs = c.by(byName)
	}
	if len(as) == 0 && len(c.A.Items) == 1 && len(c.B.Items) == 1 {
		return c.A.Items, c.B.Items
	}
	if len(as) == 0 && unique(c.A.Items) && unique(c.B.Items) {
		as, bs = c.by(func(i Item) string { return i.Under })
		byName = func(i Item) string { return i.Under }
	}
	c.OnlyA, c.OnlyB = unmatched(c.A.Items, bs, byName), unmatched(c.B.Items, as, byName)
	return as, bs
}

func (c *Comparison) by(key func(Item) string) (as, bs []Item) {
	for _, a := range c.A.Items {
		i := slices.IndexFunc(c.B.Items, func(b Item) bool { return key(a) == key(b) })
		if i >= 0 && key(a) != "" {
			as, bs = append(as, a), append(bs, c.B.Items[i])
		}
	}
	return as, bs
}

// unique reports whether no fault occurs twice, which means that all items are of one lock.
func unique(items []Item) bool {
	seen := map[string]bool{}
	for _, i := range items {
		if seen[i.Under] {
			return false
		}
		seen[i.Under] = true
	}
	return true
}

func unmatched(items, others []Item, key func(Item) string) (out []string) {
	for _, i := range items {
		if !slices.ContainsFunc(others, func(o Item) bool { return key(o) == key(i) }) {
			out = append(out, i.Name)
		}
	}
	return out
}

func names(items []Item) string {
	var out []string
	for _, i := range items[:min(len(items), 5)] {
		out = append(out, fmt.Sprintf("%q", i.Name))
	}
	if len(items) > 5 {
		out = append(out, "…")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

func newPair(a, b Item, exact bool) Pair {
	p := Pair{Name: a.Name, Differ: differences(a.Settings, b.Settings, "")}
	if a.Name != b.Name {
		p.Name = a.Name + " / " + b.Name
	}
	for _, l := range propertiesOf(a, b) {
		p.Properties = append(p.Properties, newPropertyPair(l, a, b, exact))
	}
	return p
}

// propertiesOf returns the properties that any item was judged for.
func propertiesOf(items ...Item) (out []string) {
	for _, i := range items {
		for _, t := range i.Trials {
			out = slices.AppendSeq(out, maps.Keys(t.Properties))
		}
	}
	slices.SortFunc(out, batch.ByProperty)
	return slices.Compact(out)
}

// Judged returns the pairs that have a verdict.
func (c *Comparison) Judged() []Pair {
	return slices.DeleteFunc(slices.Clone(c.Pairs), func(p Pair) bool {
		return len(p.Properties) == 0
	})
}

// Changed returns the properties of a pair that certainly changed.
func (p Pair) Changed() []PropertyPair {
	return slices.DeleteFunc(slices.Clone(p.Properties), func(l PropertyPair) bool {
		return l.Change != New && l.Change != Gone
	})
}

// Exit returns the exit code for a script that demands that no property changed: 1 if a property
// changed, and 2 if a property is no longer known or B lacks an item of A.
func (c *Comparison) Exit() int {
	exit := 0
	if len(c.OnlyA) > 0 {
		exit = checker.ExitUnknown
	}
	for _, p := range c.Pairs {
		if len(p.Changed()) > 0 {
			return checker.ExitUnexpected
		}
		for _, l := range p.Properties {
			if l.Change == Lost {
				exit = checker.ExitUnknown
			}
		}
	}
	return exit
}

// Write writes the comparison as JSON.
func (c *Comparison) Write(w io.Writer) error {
	return history.WriteDocument(w, c)
}
