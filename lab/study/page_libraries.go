package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// libraries writes lab/results/libraries.md, the results of released libraries under faults.
func (b *Book) libraries(p *page) {
	m := b.Libraries
	names := map[string]bool{} // each library may have several rows
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
	p.paragraph("`lockbench matrix --adapters all` measures, and `lab docs` writes this page; " +
		"[adapters/README.md](../../adapters/README.md) says what each library declares. The letters " +
		"are " +
		"those of [design.md](../../docs/design.md#the-properties). R, A and N are reported beside " +
		"the others: " +
		"a key that is left behind, an outage, a holder that is not told in time. A row that is called " +
		"defaults has the library's own lease, and is run under four faults.")
	p.heading(2, "The table")
	head := []string{"library", "release"}
	for _, c := range m.Columns {
		head = append(head, c.Name)
	}
	p.head(head...)
	for _, r := range m.Rows {
		row := []string{fmt.Sprintf("[%s](%s)", r.Name, libraryPage(r.Adapter)), r.Library}
		for _, c := range m.Columns {
			row = append(row, m.Cell(r.Name, c.Name).String())
		}
		p.row(row...)
	}
	p.paragraph("\"-\": nothing was found; \"?\": it cannot be told; \"n/p\": not possible; " +
		"\"·\": not run.")
}

// inShort lists the libraries and faults with violations that are worse than work that outlasts its
// lease.
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

// where lists the rows that violate one of the properties, and the faults.
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

// libraryPage returns the name of the page of a library, by its adapter.
func libraryPage(adapter string) string { return "libraries/" + adapter + ".md" }

// adapters returns the adapters of a matrix in its order.
func adapters(m *matrix.Matrix) (names []string) {
	for _, r := range m.Rows {
		if !slices.Contains(names, r.Adapter) {
			names = append(names, r.Adapter)
		}
	}
	return names
}

// library writes the page of one library: for each variant what was found under each fault.
func (b *Book) library(p *page, adapter string) {
	p.heading(1, adapter)
	p.paragraph("[libraries.md](../libraries.md) has all libraries and says how they were run; " +
		"[design.md](../../../docs/design.md#the-properties) explains the letters and the classes. " +
		"`lockbench run --adapter NAME --variant VARIANT --nemesis FAULT` shows any of these.")
	for _, r := range b.Libraries.Rows {
		if r.Adapter == adapter {
			p.variant(b.Libraries, r)
		}
	}
}

// variant writes the table of one row.
func (p *page) variant(m *matrix.Matrix, r matrix.Row) {
	p.heading(2, r.Name)
	p.paragraph("%s.", r.Library)
	var rows [][]string
	for _, c := range m.Columns {
		if cell := m.Cell(r.Name, c.Name); cell.Impossible == "" {
			rows = append(rows, foundIn(cell)...)
		}
	}
	if len(rows) == 0 {
		p.paragraph("Nothing was found.")
		return
	}
	p.head("fault", "letters", "class", "runs", "shown by")
	for _, row := range rows {
		p.row(row...)
	}
}

// foundIn returns a row for each class of violations of a cell, and one for what is not known.
func foundIn(cell *matrix.Cell) (rows [][]string) {
	for _, l := range cell.Properties {
		if l.Found != checker.Violated || l.Inherited {
			continue
		}
		row := []string{cell.Column, l.Name, l.Class, fmt.Sprintf("%d of %d", l.Runs, l.Of),
			"`" + shownBy(cell, l.Name) + "`"}
		i := slices.IndexFunc(rows, func(x []string) bool { return slices.Equal(x[2:], row[2:]) })
		if i < 0 {
			rows = append(rows, row)
			continue
		}
		rows[i][1] += l.Name
	}
	if open := cell.Unknown(); len(open) > 0 {
		rows = append(rows, []string{cell.Column, strings.Join(open, "") + "?", "not known", "", ""})
	}
	return rows
}

// shownBy returns the scenario of a run that violated a letter.
func shownBy(cell *matrix.Cell, letter string) string {
	for _, r := range cell.Runs {
		if r.Properties[letter] == checker.Violated {
			return r.Nemesis
		}
	}
	return cell.Column
}
