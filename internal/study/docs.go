package study

import (
	"bufio"
	"cmp"
	_ "embed" // environments.md
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/matrix"
)

// Verdicts writes docs/verdicts.md: the measured table, every difference from the expected one with
// its reason and its counterexample, and what was measured beside it.
func Verdicts(m *matrix.Matrix, w io.Writer, a Appendix) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `# Which lock survives which fault

Measured, not claimed: every cell was run on %s by `+"`lockbench matrix`"+`, with scenarios aimed at each letter that could be lost; this page was
written by the same command (`+"`lockbench matrix --resume DIR --docs docs`"+`). What was expected was written down before anything was measured
(`+"`internal/matrix/expect.go`"+`). Where the two differ, the measurement is right, and the difference is explained below.
A run in which the machine itself stalled, for half of what clients bear or so that a command timed out which no fault held back, is run again with nothing
beside it, and not counted: what happened then was not the fault's doing.
[exhaustive.md](exhaustive.md) has the same table decided in the simulator, order by order; [below](#the-same-table-decided-order-by-order) both are compared cell by cell.

%s Lease %s for the locks that do not fix their own; each scenario %d times; seed %d; %s.

`, versions(m), m.Count(), m.TTL.D(), m.Repeat, m.Seed, m.Took.D().Round(1e9))
	fmt.Fprint(b, legend)
	if err := flushed(b, m.Markdown(b)); err != nil {
		return err
	}
	fmt.Fprint(b, "\n## The faults\n\n| column | what happens | scenarios |\n|---|---|---|\n")
	for _, c := range m.Columns {
		var names []string
		for _, a := range c.Aims {
			n := "`" + a.Nemesis + "`"
			if a.Control {
				n += " (control)"
			}
			names = append(names, n)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", c.Name, c.Line, strings.Join(names, ", "))
	}
	writeReasons(m, b)
	writeDifferences(m, b)
	if a.Exhaustive != nil {
		fmt.Fprintln(b)
		a.Exhaustive.compared(b, newMeasured(m))
	}
	writeImpossible(m, b)
	writeRepeated(m, b)
	if err := a.write(b); err != nil {
		return err
	}
	fmt.Fprint(b, "\n"+environments)
	return b.Flush()
}

// environments is the table of key rows as processes and in containers. The test of cmd/lockbench
// that measures it writes it.
//
//go:embed environments.md
var environments string

func versions(m *matrix.Matrix) string {
	if v := m.Versions["redis"]; v != "" {
		return "Redis " + v
	}
	return "Redis"
}

// legend explains the letters.
const legend = `**S** two clients were inside at once. **L** the same while both leases were valid: not only did the work take too long. **O** a client
released a lock that was another's. **R** the lock stayed taken although nobody held it, up to its lease. **D** nobody is ever granted it again.
**F** fencing tokens did not grow. "-": all that was aimed at it was tried and nothing of this happened. "?" nobody can tell. "n/p" not possible,
which says nothing about safety. **Bold**: found and not expected. ~~Struck out~~: expected and not found, or not to be judged.

`

func flushed(b *bufio.Writer, err error) error {
	if err != nil {
		return err
	}
	return b.Flush()
}

func writeReasons(m *matrix.Matrix, b io.Writer) {
	fmt.Fprint(b, "\n## What was expected, and why\n\n")
	for _, r := range m.Rows {
		if why := matrix.Why(r.Name); why != "" {
			fmt.Fprintf(b, "- **%s** (%s): %s\n", r.Name, matrix.Source(r.Name), why)
		}
	}
}

// writeDifferences lists them, those with one reason together.
func writeDifferences(m *matrix.Matrix, b io.Writer) {
	fmt.Fprint(b, "\n## Differences\n")
	type group struct {
		why  string
		list []matrix.Difference
	}
	var groups []*group
	for _, d := range m.Differences() {
		why := explain(d)
		var g *group
		for _, have := range groups {
			if have.why == why {
				g = have
			}
		}
		if g == nil {
			g = &group{why: why}
			groups = append(groups, g)
		}
		g.list = append(g.list, d)
	}
	for _, g := range groups {
		why := g.why
		if why == "" {
			why = "Not explained yet."
		}
		fmt.Fprintf(b, "\n%s\n\n", why)
		for _, d := range g.list {
			what := "found"
			if d.Expected {
				what = "not found"
			}
			fmt.Fprintf(b, "- %s, %s: **%s** %s. %s\n", d.Row, d.Column, d.Property, what, oneLine(d.Explanation))
		}
	}
	if len(groups) == 0 {
		fmt.Fprint(b, "\nNone.\n")
	}
}

// wordsLimit bounds a counterexample on a page; the run has all of it.
const wordsLimit = 600

func cut(s string) string {
	if len(s) > wordsLimit+len(" …") {
		s = strings.ToValidUTF8(s[:wordsLimit], "") + " …"
	}
	return s
}

func oneLine(s string) string {
	s = cut(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*").Replace(s)
}

func writeImpossible(m *matrix.Matrix, b io.Writer) {
	fmt.Fprint(b, "\n## Not possible\n\n")
	seen := map[string]bool{}
	for _, c := range m.Cells {
		if c.Impossible != "" && !seen[c.Row+c.Impossible] {
			seen[c.Row+c.Impossible] = true
			fmt.Fprintf(b, "- %s, %s: %s.\n", c.Row, c.Column, c.Impossible)
		}
	}
}

// writeRepeated lists what was not found in every run of the scenario that finds it most reliably.
func writeRepeated(m *matrix.Matrix, b io.Writer) {
	fmt.Fprint(b, "\n## Found, but not each time\n\n")
	none := true
	for _, t := range CountSoak(m).Found {
		if t.Hits == 0 || t.whole() {
			continue
		}
		none = false
		fmt.Fprintf(b, "- %s, %s: %s in %d of %d runs of `%s`", t.Row, t.Column, t.Property, t.Hits, t.Of, t.Nemesis)
		if why := cmp.Or(t.Chance, t.Why); why != "" {
			fmt.Fprintf(b, ": %s", oneLine(why))
		}
		fmt.Fprintln(b, ".")
	}
	if none {
		fmt.Fprintln(b, "Nothing: every letter was found in each run of its scenario.")
	}
}

// ClaimsTable writes docs/claims.md: what the documents say, and what the matrix makes of it.
func ClaimsTable(m *matrix.Matrix, w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `# What the documents claim

Each sentence of the source documents that can be tested, and what came of it on %s. Written by `+"`lockbench matrix --resume DIR --docs docs`"+`.

| claim | document | outcome | tested by | counterexample, or what is missing |
|---|---|---|---|---|
`, versions(m))
	for _, c := range claims {
		outcome, cells := Judge(m, c)
		command := c.Command()
		if command != "" {
			command = "`" + strings.ReplaceAll(command, "|", "\\|") + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", c.Text, c.Document, outcome, command, strings.TrimSpace(costsOf(m, c)+" "+c.detail(cells)))
	}
	return b.Flush()
}

// detail is the counterexample, the note and what is missing.
func (c Claim) detail(cells []*matrix.Cell) string {
	var out []string
	if c.Note != "" {
		out = append(out, strings.ToUpper(c.Note[:1])+c.Note[1:]+".")
	}
	if c.Needs != "" {
		out = append(out, "Needs "+c.Needs+".")
	}
	for _, cell := range cells {
		for _, l := range split(c.Breaks + c.Keeps) {
			if w := cell.Explanation(l); w != "" {
				return strings.Join(append(out, cell.Column+": "+oneLine(w)), " ")
			}
		}
	}
	return strings.Join(out, " ")
}
