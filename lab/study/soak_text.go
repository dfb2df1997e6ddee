package study

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// Counts returns a paragraph with the totals.
func (s *Soak) Counts() string {
	whole, partly, never, controls, clean, lost := 0, 0, 0, 0, 0, 0
	for _, t := range s.Found {
		switch {
		case t.isCertain():
			whole++
		case t.Hits > 0:
			partly++
		default:
			never++
		}
	}
	for _, t := range s.Controls {
		controls += t.Of
	}
	for _, t := range s.Clean {
		clean += t.Of
	}
	for _, l := range s.Lost {
		lost += l.Runs
	}
	return fmt.Sprintf(
		"%d runs, %d wanted of each scenario. %d letters were found in each run of their scenario, %d "+
			"not in each, %d expected ones never. "+
			"%d cells stayed clean in all of their %d runs. %d runs of controls. %d runs could not be "+
			"judged.",
		s.Runs, s.Wanted, whole, partly, never, len(s.Clean), clean, controls, lost)
}

// words formats a cell: each violation with its count, or how often the cell stayed clean.
func (s *Soak) words(row, column string) string {
	var found []HitRate
	for _, t := range s.Found {
		if t.Row == row && t.Column == column {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return ratesOf(found)
	}
	for _, t := range s.Clean {
		if t.Row == row && t.Column == column {
			return fmt.Sprintf("-%d", t.Of)
		}
	}
	return "="
}

// places returns the rows and columns that occur, in the order of the matrix.
func (s *Soak) places() (rs []matrix.Row, cs []matrix.Column) {
	seen := map[string]bool{}
	for _, ts := range [][]HitRate{s.Found, s.Clean} {
		for _, t := range ts {
			seen[t.Row], seen["|"+t.Column] = true, true
		}
	}
	for _, r := range matrix.Rows() {
		if seen[r.Name] {
			rs = append(rs, r)
		}
	}
	for _, c := range matrix.Columns() {
		if seen["|"+c.Name] {
			cs = append(cs, c)
		}
	}
	return rs, cs
}

// Text writes the table for a terminal, and every contradiction.
func (s *Soak) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	rs, cs := s.places()
	for _, c := range cs {
		fmt.Fprintf(t, "\t%s", c.Name)
	}
	fmt.Fprintln(t)
	for _, r := range rs {
		fmt.Fprint(t, r.Name)
		for _, c := range cs {
			fmt.Fprintf(t, "\t%s", strings.ReplaceAll(s.words(r.Name, c.Name), " ", ","))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", s.Counts())
	for _, c := range s.Contradictions() {
		fmt.Fprintf(w, "  %s\n", c)
	}
	for _, l := range s.Lost {
		fmt.Fprintf(w, "  not judged: %d of %s under %s: %s\n", l.Runs, l.Row, l.Nemesis, l.Reason)
	}
	return err
}

// write writes the table to a page.
func (s *Soak) write(p *page) {
	if s.Note != "" {
		p.paragraph("%s", oneLine(s.Note))
	}
	p.paragraph("%s %s, lease %s, seed %d, %s.", s.Counts(), redisOf(s.Versions), s.TTL.D(), s.Seed,
		s.Took.D().Round(1e9))
	rs, cs := s.places()
	head := []string{"lock"}
	for _, c := range cs {
		head = append(head, c.Name)
	}
	p.head(head...)
	for _, r := range rs {
		row := []string{r.Name}
		for _, c := range cs {
			row = append(row, s.words(r.Name, c.Name))
		}
		p.row(row...)
	}
	s.list(p, "Not as it should be:", s.Contradictions())
	often := s.chances()
	often.write(p, "Found, but not each time")
	var lost []string
	for _, l := range s.Lost {
		lost = append(lost, fmt.Sprintf("%s, %s: %d; %s", l.Row, l.Nemesis, l.Runs, l.Reason))
	}
	s.list(p, "Not judged, because the machine was too slow or something broke, also when repeated "+
		"alone:", lost)
}

func (s *Soak) list(p *page, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.paragraph("%s", title)
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	p.items(lines)
}

// reason returns the current explanation why a violation is not found each time.
func (t HitRate) reason() string {
	d := matrix.Difference{Row: t.Row, Column: t.Column, Property: t.Property, Expected: t.Expected}
	return units.Sentence(cmp.Or(chance(t.Row, t.Column, t.Property), matrix.Explain(d)))
}

// chances groups the violations that are found only sometimes by their reasons.
func (s *Soak) chances() (out grouping) {
	for _, t := range s.Found {
		if why := t.reason(); !t.isCertain() && t.Hits > 0 && why != "" {
			out.add(why, t.Row+", "+t.Column, t.Property,
				fmt.Sprintf("in %d of %d runs of `%s`", t.Hits, t.Of, t.Nemesis), "")
		}
	}
	return out
}
