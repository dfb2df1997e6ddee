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
		"sentence in its own "+
		"words, to how it was tested, and to how often what was seen.", len(claims()),
		strings.Replace(strings.Join(counts, ", "), string(Depends), "depend on a condition", 1),
		redisOf(b.Matrix.Versions))
	p.head("", "claim", "where", "outcome")
	for i, c := range claims() {
		p.row(fmt.Sprintf("[%d](#%d)", i+1, i+1), c.Text, documentLinks(c.Document),
			string(b.outcome(c)))
	}
	p.heading(2, "How to read the claims")
	p.items([]string{
		"A quotation is the document's own; spaces and line breaks are ours. The claim in the table is " +
			"our translation, or our words for what follows from the sentence.",
		"*Seen*: \"S 20/20\" is a property that was violated in 20 of 20 runs of the scenario that is " +
			"aimed at it; [design.md](../../docs/design.md#the-properties) has the letters. *process* is " +
			"Redis on " +
			"this machine, *sim* the simulator. The name of a lock leads to all that was found of it.",
		"*Depends on* is a claim that is true under a condition, which stands with it.",
	})
	for i, c := range claims() {
		b.claim(p, i+1, c)
	}
}

// claim writes one claim with its quotation, its test and its outcome.
func (b *Book) claim(p *page, n int, c Claim) {
	outcome := b.outcome(c)
	p.heading(2, fmt.Sprint(n))
	p.paragraph("%s (%s): **%s**. %s", documentLinks(c.Document), titlesOf(c.Document), outcome,
		units.Sentence(c.Text))
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
	if seen := append(b.seen(c), c.seenBeside()...); len(seen) > 0 {
		lines = append(lines, "Seen: "+strings.Join(seen, "; ")+".")
	}
	_, cells := Judge(b.Matrix, c)
	p.items(append(lines, c.detail(cells)...))
}

// titles lists the titles of docs/locks/documents.md, which also contains the addresses.
var titles = []struct{ document, title string }{
	{"D000", "redis 不可重入分布式锁(setNx()和getset()方法实现)"},
	{"D001", "redisson分布式锁实现原理"},
	{"D002", "使用 Redis 实现分布式锁"},
	{"D003", "a page without a title"},
	{"D004", "5. redis distributed lock"},
}

func titlesOf(places string) string {
	var out []string
	for _, t := range titles {
		if strings.Contains(places, t.document) {
			out = append(out, t.title)
		}
	}
	return strings.Join(out, "; ")
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
				for _, r := range s.of(c.Row, column, c.Keeps) {
					if r.Hits > 0 {
						return Refuted
					}
				}
			}
		}
	}
	return o
}

// seen returns how often the properties of a claim were violated under its faults.
func (b *Book) seen(c Claim) (out []string) {
	if costs := costsOf(b.Matrix, c); costs != "" {
		return []string{strings.TrimSuffix(costs, ".")}
	}
	i := slices.IndexFunc(matrix.Rows(), func(r matrix.Row) bool { return r.Name == c.Row })
	for _, column := range c.Columns {
		var rates []string
		for _, s := range b.Soaks {
			if r := s.of(c.Row, column, c.Breaks+c.Keeps); len(r) > 0 {
				rates = append(rates, ratesOf(r)+" ("+s.Environment+")")
			}
		}
		cell := b.Matrix.Cell(c.Row, column)
		if len(rates) == 0 && cell != nil {
			rates = append(rates, ratesOf(counted(cell, c.Breaks+c.Keeps)))
		}
		if len(rates) > 0 && i >= 0 {
			out = append(out, fmt.Sprintf("%s under %s: %s", nameLink(matrix.Rows()[i], "verdicts/"),
				column, strings.Join(rates, ", ")))
		}
	}
	return out
}

// of returns the rates of properties in a cell, or none if the cell was not counted. A soak does
// not look again under a fault for a violation that happens without any, so it has no rate there.
func (s *Soak) of(row, column, properties string) (out []HitRate) {
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

func ratesOf(rates []HitRate) string {
	var out []string
	for _, r := range rates {
		out = append(out, fmt.Sprintf("%s %d/%d", r.Property, r.Hits, r.Of))
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
