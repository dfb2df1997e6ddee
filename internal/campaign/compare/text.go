package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/base/progress"
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", batch.Plain(p.Name), p.Side(PropertyPair.a),
			p.Side(PropertyPair.b),
			batch.Plain(strings.Join(p.Lines(), "; ")))
	}
	c.costs(t)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", c.Sentence())
	return err
}

func (p PropertyPair) a() Tally { return p.A }
func (p PropertyPair) b() Tally { return p.B }

// costs writes the metrics of each pair, with A and B side by side.
func (c *Comparison) costs(t io.Writer) {
	if !c.Measured() {
		fmt.Fprintln(t, "\nNo costs: the records of the runs are not there.")
		return
	}
	fmt.Fprint(t, "\nCOSTS, A → B")
	for _, m := range metrics {
		fmt.Fprintf(t, "\t%s, %s", m.name, m.unit)
	}
	fmt.Fprintln(t)
	for _, p := range c.Pairs {
		if len(p.Metrics) > 0 {
			fmt.Fprintf(t, "%s%s\n", batch.Plain(p.Name), row(p.Metrics))
		}
	}
	if len(c.Overall) > 0 {
		fmt.Fprintf(t, "all together%s\n", row(c.Overall))
	}
}

func row(ms []Metric) (s string) {
	for _, x := range metrics {
		s += "\t"
		for _, m := range ms {
			if m.Name == x.name {
				s += m.Text()
			}
		}
	}
	return s
}

// title describes a side in one line.
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
	for _, p := range c.Pairs {
		if len(p.Metrics) > 0 {
			return true
		}
	}
	return false
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

// Side formats the violated and the unknown properties of one side: "SL R?", "valid".
func (p Pair) Side(of func(PropertyPair) Tally) string {
	found, unknown := "", ""
	for _, l := range p.Properties {
		switch t := of(l); t.Found {
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
	news, gone, chance, lost, better, worse := 0, 0, 0, 0, 0, 0
	for _, p := range c.Pairs {
		for _, l := range p.Properties {
			news, gone = news+batch.Truth(l.Change == New), gone+batch.Truth(l.Change == Gone)
			chance, lost = chance+batch.Truth(l.Change == Chance), lost+batch.Truth(l.Change == Lost)
		}
		for _, m := range p.Metrics {
			better, worse = better+batch.Truth(m.Change == Better), worse+batch.Truth(m.Change == Worse)
		}
	}
	var parts []string
	for _, x := range []struct {
		n         int
		one, many string
	}{
		{news, "1 new violation", "new violations"}, {gone, "1 violation gone", "violations gone"},
		{lost, "1 property that cannot be told any more", "properties that cannot be told any more"},
		{chance, "1 that may be chance", "that may be chance"},
		{worse, "1 cost worse", "costs worse"}, {better, "1 cost better", "costs better"},
	} {
		switch {
		case x.n == 1:
			parts = append(parts, x.one)
		case x.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.many))
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
