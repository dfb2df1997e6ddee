package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Text writes a comparison for a terminal: the caveats, the verdicts of both sides, their costs,
// and the conclusion.
func (c *Comparison) Text(w io.Writer) error {
	fmt.Fprintf(w, "A  %s\nB  %s\n\n", c.A.title(), c.B.title())
	for _, line := range c.Caveats() {
		fmt.Fprintln(w, batch.Plain(line))
	}
	t := progress.NewTable(w)
	fmt.Fprintln(t, "\nVERDICTS\tA\tB\t")
	for _, p := range c.Judged() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", batch.Plain(p.Name), p.Side("A"), p.Side("B"),
			batch.Plain(strings.Join(p.Lines(), "; ")))
	}
	c.costs(t)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", c.Sentence())
	return err
}

func (c *Comparison) costs(t io.Writer) {
	if !c.Measured() {
		fmt.Fprintln(t, "\nNo costs: the records of the runs are not there.")
		return
	}
	fmt.Fprintf(t, "\nCOSTS, A → B\t%s\n", strings.Join(Headings(), "\t"))
	for _, p := range c.Pairs {
		if len(p.Metrics) > 0 {
			fmt.Fprintf(t, "%s\t%s\n", batch.Plain(p.Name), strings.Join(Texts(p.Metrics), "\t"))
		}
	}
	if len(c.Overall) > 0 {
		fmt.Fprintf(t, "all together\t%s\n", strings.Join(Texts(c.Overall), "\t"))
	}
}

// Texts returns the texts of metrics in the order of Headings, with "" for a missing one.
func Texts(ms []Metric) []string {
	out := make([]string, len(metrics))
	for i, x := range metrics {
		if at := slices.IndexFunc(ms, func(m Metric) bool { return m.Name == x.name }); at >= 0 {
			out[i] = ms[at].Text()
		}
	}
	return out
}

func (s Side) title() string {
	on := s.Environment
	if v := s.Versions["redis"]; v != "" {
		on += ", Redis " + v
	}
	if s.Machine != "" {
		on += ", " + s.Machine
	}
	return batch.Plain(fmt.Sprintf("%s (%s; %s)", s.Name, s.Kind, on))
}

// Measured reports whether there are any costs.
func (c *Comparison) Measured() bool {
	return slices.ContainsFunc(c.Pairs, func(p Pair) bool { return len(p.Metrics) > 0 })
}

// Caveats returns the limits of the comparison.
func (c *Comparison) Caveats() (out []string) {
	if c.A.Environment != c.B.Environment {
		out = append(out,
			fmt.Sprintf("Two environments, %s and %s: verdicts can be compared, times cannot.",
				c.A.Environment, c.B.Environment))
	} else if !c.Times {
		out = append(out, "Two machines: verdicts can be compared, times cannot.")
	}
	for _, d := range c.Differ {
		if d.Name != "environment" {
			out = append(out, "They differ in "+d.String()+".")
		}
	}
	for _, p := range c.Pairs {
		for _, d := range p.Differ {
			out = append(out, fmt.Sprintf("%s: they differ in %s.", p.Name, d))
		}
	}
	if len(out) == 0 && len(c.OnlyA) == 0 {
		out = append(out, "Like for like: same environment, versions and plan.")
	}
	for _, x := range []struct {
		side string
		list []string
	}{{"A", c.OnlyA}, {"B", c.OnlyB}} {
		if len(x.list) > 0 {
			out = append(out, fmt.Sprintf("Only in %s: %s.", x.side, strings.Join(x.list, "; ")))
		}
	}
	return out
}

// String returns the field with both values, shortened. The actions of a scenario are too long.
func (f Field) String() string {
	if f.Name == "scenario" {
		return "scenario: the plan.json of each has its actions"
	}
	return fmt.Sprintf("%s: %s / %s", f.Name, or(f.A), or(f.B))
}

func or(s string) string {
	const limit = 60
	switch {
	case s == "":
		return "–"
	case len([]rune(s)) > limit:
		return string([]rune(s)[:limit]) + "…"
	}
	return s
}

// Side formats the violated and the unknown properties of side A or B: "SL R?", "valid".
func (p Pair) Side(name string) string {
	found, unknown := "", ""
	for _, l := range p.Properties {
		switch t := map[string]Tally{"A": l.A, "B": l.B}[name]; t.Found {
		case "violated":
			found += l.Property
			if t.Runs < t.Of {
				found += fmt.Sprintf("(%d/%d)", t.Runs, t.Of)
			}
		case "unknown", "":
			unknown += l.Property
		}
	}
	if unknown != "" {
		unknown += "?"
	}
	if s := strings.TrimSpace(found + " " + unknown); s != "" {
		return s
	}
	return "valid"
}

// Lines describes the changes of a pair. One line lists all properties that are no longer known.
func (p Pair) Lines() (out []string) {
	lost := ""
	for _, l := range p.Properties {
		if l.Change == Lost {
			lost += l.Property
		} else if s := l.Line(); s != "" {
			out = append(out, s)
		}
	}
	if lost != "" {
		out = append(out, lost+" was known, and cannot be told now")
	}
	return out
}

// Sentence returns the conclusion.
func (c *Comparison) Sentence() string {
	n := map[string]int{} // by the change
	for _, p := range c.Pairs {
		for _, l := range p.Properties {
			n[string(l.Change)]++
		}
		for _, m := range p.Metrics {
			n[m.Change]++
		}
	}
	var parts []string
	for _, x := range []struct{ change, one, many string }{
		{string(New), "new violation", "new violations"},
		{string(Gone), "violation gone", "violations gone"},
		{string(Lost), "property that cannot be told any more",
			"properties that cannot be told any more"},
		{string(Chance), "that may be chance", "that may be chance"},
		{Worse, "cost worse", "costs worse"}, {Better, "cost better", "costs better"},
	} {
		if n[x.change] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[x.change],
				units.Plural(n[x.change], x.one, x.many)))
		}
	}
	if n := len(c.OnlyA); n > 0 {
		parts = append(parts, fmt.Sprintf("%d missing in B", n))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%d compared: nothing changed that is more than noise.", len(c.Judged()))
	}
	return fmt.Sprintf("%d compared: %s.", len(c.Judged()), strings.Join(parts, ", "))
}
