package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// libraries writes docs/libraries.md: released libraries under faults.
func (b *Book) libraries(p *page) {
	m := b.Libraries
	names := map[string]bool{} // each may have several rows
	for _, r := range m.Rows {
		names[r.Impl] = true
	}
	p.heading(1, "The lock libraries that people run")
	p.paragraph("**The answer.** %s, on %s with a lease of %s, under %s. Each cell is %s of each "+
		"scenario that is aimed at the fault; what was not found there is not proved to be absent.",
		units.Count(len(names), "released library was run as its users run it",
			"released libraries were run as their users run them"),
		redisOf(m.Versions), m.TTL.D(), units.Count(len(m.Columns), "fault"),
		units.Count(m.Repeat, "run"))
	p.items(inShort(m))
	p.paragraph("`lockbench matrix --adapters all --docs docs` writes this page; " +
		"[adapters/README.md](../adapters/README.md) says what each library declares. The letters are " +
		"those of [design.md](design.md#the-properties). R, A and N are reported beside the others: " +
		"a key that is left behind, an outage, a holder that is not told in time. A row that is called " +
		"defaults has the library's own lease, and is run under four faults.")
	p.heading(2, "The table")
	head := []string{"library", "release"}
	for _, c := range m.Columns {
		head = append(head, c.Name)
	}
	p.head(head...)
	for _, r := range m.Rows {
		row := []string{fmt.Sprintf("[%s](#%s)", r.Name, strings.ReplaceAll(r.Name, " ", "-")), r.Library}
		for _, c := range m.Columns {
			row = append(row, m.Cell(r.Name, c.Name).String())
		}
		p.row(row...)
	}
	p.paragraph("\"-\": nothing was found; \"?\": it cannot be told; \"n/p\": not possible; " +
		"\"·\": not run.")
	p.heading(2, "Letter by letter")
	for _, r := range m.Rows {
		p.library(m, r)
	}
}

// inShort names the libraries and faults of what is worse than work that outlasts its lease.
func inShort(m *matrix.Matrix) (lines []string) {
	for _, q := range []struct {
		what, letters string
		calm          bool // without any fault
	}{
		{"Something is wrong without any fault", "SLODFUEV", true},
		{"Two clients are inside although both leases are valid (L)", "L", false},
		{"A client releases what is another's (O)", "O", false},
		{"No client is granted the lock although it is free (D)", "D", false},
		{"A grant is over when it is delivered (V)", "V", false},
	} {
		if found := where(m, q.letters, q.calm); found != "" {
			lines = append(lines, q.what+": "+found+".")
		}
	}
	return append(lines, "Everything else that was found is S without L, F, or only reported. S "+
		"without L, where there is a lease that is known, is work that outlasts it, which no lease can "+
		"prevent: a fencing token at the resource helps. Of other systems L is not known; a "+
		"server there may have forgotten the lock, as PostgreSQL's standby in a failover; the words of "+
		"each cell say it.")
}

// where lists the rows with one of the letters, and under which faults.
func where(m *matrix.Matrix, letters string, calm bool) string {
	var rows []string
	for _, r := range m.Rows {
		var faults []string
		for _, c := range m.Columns {
			found := strings.Join(m.Cell(r.Name, c.Name).Found(), "")
			if calm == (c.Name == "none") && strings.ContainsAny(found, letters) {
				faults = append(faults, c.Name)
			}
		}
		if calm && len(faults) > 0 {
			rows = append(rows, r.Name)
		} else if len(faults) > 0 {
			rows = append(rows, r.Name+" ("+strings.Join(faults, ", ")+")")
		}
	}
	return strings.Join(rows, "; ")
}

// library tells of one row what was found under each fault, with the command that does it again.
func (p *page) library(m *matrix.Matrix, r matrix.Row) {
	p.heading(3, r.Name)
	var lines []string
	for _, c := range m.Columns {
		cell := m.Cell(r.Name, c.Name)
		if cell.Impossible != "" {
			continue
		}
		for _, l := range cell.Properties {
			if l.Found == checker.Violated && !l.Inherited {
				lines = append(lines, foundOf(cell, l))
			}
		}
		if open := cell.Unknown(); len(open) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s cannot be told: %s", c.Name, strings.Join(open, ""),
				oneLine(cell.Property(open[0]).Reason)))
		}
	}
	p.paragraph("<a id=\"%s\"></a>%s.", strings.ReplaceAll(r.Name, " ", "-"), r.Library)
	if len(lines) == 0 {
		lines = []string{"nothing was found"}
	}
	p.items(lines)
}

// foundOf is what was found of a property in a cell.
func foundOf(cell *matrix.Cell, l matrix.Property) string {
	line := fmt.Sprintf("%s: **%s** in %d of %d.", cell.Column, l.Name, l.Runs, l.Of)
	i := slices.IndexFunc(cell.Runs, func(r matrix.Result) bool {
		return r.Explanations[l.Name] != ""
	})
	if i >= 0 {
		line += " " + oneLine(cell.Runs[i].Explanations[l.Name])
	}
	i = slices.IndexFunc(cell.Runs, func(r matrix.Result) bool {
		return r.Properties[l.Name] == checker.Violated
	})
	if i >= 0 {
		line += fmt.Sprintf(" (`--nemesis %s`)", cell.Runs[i].Nemesis)
	}
	return line
}
