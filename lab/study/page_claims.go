package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// claims writes lab/results/claims.md: the claims of the documents and their outcomes.
func (b *Book) claims(p *page) {
	count := map[Outcome]int{}
	for _, c := range claims() {
		count[b.outcome(c)]++
	}
	p.heading(1, "What the documents claim")
	var counts []string
	for _, o := range []Outcome{Confirmed, Refuted, Depends, Unclear, NotTested} {
		if count[o] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	p.paragraph("**The answer.** Of %d sentences of the source documents "+
		"([titles and links](../../docs/locks/documents.md)), %s, on %s. A number leads to the "+
		"original sentence, its test and the result.", len(claims()),
		strings.Replace(strings.Join(counts, ", "), string(Depends), "depend on a condition", 1),
		redisOf(b.Matrix.Versions))
	p.head("", "claim", "outcome")
	for i, c := range claims() {
		p.row(fmt.Sprintf("[%d](#%d)", i+1, i+1), c.Text, string(b.outcome(c)))
	}
	p.heading(2, "How to read the claims")
	p.items([]string{
		"A quotation is the document's own; spaces and line breaks are ours. The claim in the table is " +
			"our translation of it, or our conclusion from it.",
		"*Seen*: \"S:20/20\" is a property that was violated in 20 of 20 runs of the scenario that is " +
			"aimed at it; [design.md](../../docs/design.md#the-properties) has the letters. *process* is " +
			"Redis on this machine, *sim* the simulator. The name of a lock leads to all its results. " +
			"A refuted claim has the story of a run.",
		"*Depends on* is a claim that is true under its condition.",
	})
	for i, c := range claims() {
		b.claim(p, i+1, c)
	}
}

// claim writes one claim with its quotation, its test and its outcome.
func (b *Book) claim(p *page, n int, c Claim) {
	outcome := b.outcome(c)
	p.heading(2, fmt.Sprint(n))
	p.paragraph("%s: **%s**. %s", documentLinks(c.Document), outcome, units.Sentence(c.Text))
	p.WriteByte('\n')
	p.wrap("> ", "> ", quotation(c.Quote))
	var lines []string
	if c.Condition != "" {
		lines = append(lines, "Depends on: "+units.Sentence(c.Condition))
	}
	if c.Tested != "" {
		lines = append(lines, "Tested: "+units.Sentence(c.Tested))
	}
	if command := c.Command(); command != "" {
		lines = append(lines, "`"+command+"`")
	}
	if seen := append(b.rates(c), c.seenBeside()...); len(seen) > 0 {
		lines = append(lines, "Seen: "+strings.Join(seen, "; ")+".")
	}
	var cells []*matrix.Cell
	if outcome == Refuted {
		_, cells = Judge(b.Matrix, c)
	}
	p.items(append(lines, c.detail(cells)...))
}

// quotation escapes a quotation for Markdown.
func quotation(s string) string {
	return strings.NewReplacer("<", "&lt;", "*", "\\*", "_", "\\_").Replace(
		strings.Join(strings.Fields(s), " "))
}

// outcome judges a claim by the matrix and the soaks. A violation in a single run of a soak refutes
// a claim that it never happens.
func (b *Book) outcome(c Claim) Outcome {
	o, _ := Judge(b.Matrix, c)
	if o == Confirmed && c.Keeps != "" {
		for _, column := range c.Columns {
			for _, s := range b.Soaks {
				for _, r := range s.ratesOf(c.Row, column, c.Keeps) {
					if r.Hits > 0 {
						return Refuted
					}
				}
			}
		}
	}
	return o
}

// rates returns how often the properties of a claim were violated under its faults. Faults with
// the same rates share them.
func (b *Book) rates(c Claim) []string {
	if costs := costsOf(b.Matrix, c); costs != "" {
		return []string{strings.TrimSuffix(costs, ".")}
	}
	i := slices.IndexFunc(matrix.Rows(), func(r matrix.Row) bool { return r.Name == c.Row })
	if i < 0 {
		return nil
	}
	var rates []string
	columns := map[string][]string{}
	for _, column := range c.Columns {
		if text := b.ratesUnder(c, column); text != "" {
			if columns[text] == nil {
				rates = append(rates, text)
			}
			columns[text] = append(columns[text], column)
		}
	}
	for j, text := range rates {
		rates[j] = "under " + strings.Join(columns[text], ", ") + " " + text
	}
	if len(rates) == 0 {
		return nil
	}
	return []string{nameLink(matrix.Rows()[i], "verdicts/") + " " + strings.Join(rates, "; ")}
}

// ratesUnder returns the rates of a claim's properties under one fault, by environment.
func (b *Book) ratesUnder(c Claim, column string) string {
	var rates, where []string
	for _, s := range b.Soaks {
		if r := s.ratesOf(c.Row, column, c.Breaks+c.Keeps); len(r) > 0 {
			rates, where = append(rates, ratesOf(r)), append(where, s.Environment)
		}
	}
	if cell := b.Matrix.Cell(c.Row, column); len(rates) == 0 && cell != nil {
		return ratesOf(counted(cell, c.Breaks+c.Keeps))
	}
	if len(slices.Compact(slices.Clone(rates))) == 1 {
		return fmt.Sprintf("%s (%s)", rates[0], strings.Join(where, ", "))
	}
	for i := range rates {
		rates[i] += " (" + where[i] + ")"
	}
	return strings.Join(rates, ", ")
}

// ratesOf returns the rates of properties in a cell, or none if the cell was not counted. A soak
// does not look again under a fault for a violation that happens without any, so it has no rate
// there.
func (s *Soak) ratesOf(row, column, properties string) (out []HitRate) {
	runs := 0
	for _, r := range slices.Concat(s.Clean, s.Found) {
		if r.Row == row && r.Column == column {
			runs = max(runs, r.Of)
		}
	}
	for _, property := range split(properties) {
		find := func(column string) int {
			return slices.IndexFunc(s.Found, func(r HitRate) bool {
				return r.Row == row && r.Column == column && r.Property == property
			})
		}
		switch i := find(column); {
		case i >= 0:
			out = append(out, s.Found[i])
		case runs > 0 && find("none") < 0:
			out = append(out, HitRate{Property: property, Of: runs})
		}
	}
	return out
}

// counted returns the same rates for the runs of a cell.
func counted(cell *matrix.Cell, properties string) (out []HitRate) {
	for _, property := range split(properties) {
		rate := HitRate{Property: property}
		for _, r := range judged(cell, false) {
			rate.Of++
			rate.Hits += batch.Truth(r.Properties[property] == checker.Violated)
		}
		out = append(out, rate)
	}
	return out
}

// ratesOf formats rates. Letters with the same rate share it: "SLO:20/20 R:3/20".
func ratesOf(rates []HitRate) string {
	var out []string
	for i := 0; i < len(rates); {
		r, letters := rates[i], ""
		for ; i < len(rates) && rates[i].Hits == r.Hits && rates[i].Of == r.Of; i++ {
			letters += rates[i].Property
		}
		out = append(out, fmt.Sprintf("%s:%d/%d", letters, r.Hits, r.Of))
	}
	return strings.Join(out, " ")
}

// seenBeside returns the counts that are not from the matrix.
func (c Claim) seenBeside() (out []string) {
	for _, t := range c.Trials {
		out = append(out, fmt.Sprintf("%s in %d of %d (`%s`)", t.What, t.Hits, t.Of, t.Command))
	}
	return out
}

// documentLinks links the places of a claim.
func documentLinks(places string) string {
	var out []string
	name := ""
	for _, place := range strings.Split(places, ", ") {
		if len(place) >= 4 && strings.HasPrefix(place, "D00") {
			name = place[:4]
		}
		out = append(out, fmt.Sprintf("[%s](../../docs/locks/documents.md#%s)", place,
			strings.ToLower(name)))
	}
	return strings.Join(out, ", ")
}

// detail returns the note, the missing requirements, and a counterexample.
func (c Claim) detail(cells []*matrix.Cell) (out []string) {
	if c.Note != "" {
		out = append(out, units.Sentence(c.Note))
	}
	if c.Needs != "" {
		out = append(out, "Needs "+c.Needs+".")
	}
	for _, cell := range cells {
		for _, l := range split(c.Breaks + c.Keeps) {
			if w := cell.Explanation(l); w != "" {
				return append(out, "*"+cell.Column+"*: "+oneLine(w))
			}
		}
	}
	return out
}
