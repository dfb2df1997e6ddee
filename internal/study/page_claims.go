package study

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/units"
)

// claims writes docs/claims.md: what the documents say, and what the matrix makes of it.
func (b *Book) claims(p *page) {
	m := b.Matrix
	count := map[Outcome]int{}
	for _, c := range claims() {
		outcome, _ := Judge(m, c)
		count[outcome]++
	}
	p.heading(1, "What the documents claim")
	var counts []string
	for _, o := range []Outcome{Confirmed, Refuted, Unclear, NotTested} {
		if count[o] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	p.paragraph("**The answer.** Of %d sentences of the [source documents](locks/documents.md), %s, "+
		"on %s. A number leads to the command that tests the claim and to what it showed.",
		len(claims()), strings.Join(counts, ", "), redisOf(m.Versions))
	p.head("", "claim", "where", "outcome")
	for i, c := range claims() {
		outcome, _ := Judge(m, c)
		p.row(fmt.Sprintf("[%d](#%d)", i+1, i+1), c.Text, documentLinks(c.Document), string(outcome))
	}
	p.heading(2, "Notes")
	for i, c := range claims() {
		_, cells := Judge(m, c)
		text := []string{fmt.Sprintf("<a id=\"%d\"></a>**%d.**", i+1, i+1)}
		if command := c.Command(); command != "" {
			text = append(text, "`"+command+"`.")
		}
		if costs := costsOf(m, c); costs != "" {
			text = append(text, costs)
		}
		p.paragraph("%s", strings.Join(append(text, c.detail(cells)...), " "))
	}
}

// documentLinks are the places of a claim with the way to what they say.
func documentLinks(places string) string {
	var out []string
	name := ""
	for _, place := range strings.Split(places, ", ") {
		if len(place) >= 4 && strings.HasPrefix(place, "D00") {
			name = place[:4]
		}
		out = append(out, fmt.Sprintf("[%s](locks/documents.md#%s)", place, strings.ToLower(name)))
	}
	return strings.Join(out, ", ")
}

// detail is the note, what is missing, and a counterexample.
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
