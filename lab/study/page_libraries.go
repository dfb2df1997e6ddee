package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
)

// libraries writes lab/results/libraries.md, the results of released libraries under faults.
func (b *Book) libraries(p *page) {
	m := b.Libraries
	names := map[string]bool{} // each library may have several rows
	for _, r := range m.Rows {
		names[r.Impl] = true
	}
	p.heading(1, "The lock libraries that people run")
	p.paragraph("**The answer.** %s, on %s with a lease of %s, under %s. Each cell is at least %s of "+
		"each scenario that is aimed at the fault; more runs may find more.",
		units.Count(len(names), "released library was run as its users run it",
			"released libraries were run as their users run them"),
		redisOf(m.Versions), m.TTL.D(), units.Count(len(m.Columns), "fault"),
		units.Count(m.Repeat, "run"))
	p.items(inShort(m))
	p.paragraph("`lockbench matrix --adapters all` measures, and `lab docs` writes this page; " +
		"[adapters/README.md](../../adapters/README.md) has their declarations. The letters " +
		"are explained in [design.md](../../docs/design.md#the-properties). R, A and N are only " +
		"reported: a key that is left behind, an outage, a holder that is not told in time.")
	p.heading(2, "The table")
	p.paragraph("\"-\": nothing was found. \"?\": not known. Empty: not possible. \"·\": not run. " +
		"*Never judged* are the letters that are unknown in each cell of the row, since other systems " +
		"leave no trace.")
	var usual, own, systems []matrix.Row
	for _, r := range m.Rows {
		switch {
		case strings.Contains(r.Library, ", in "):
			systems = append(systems, r)
		case strings.HasSuffix(r.Name, " defaults"):
			own = append(own, r)
		default:
			usual = append(usual, r)
		}
	}
	p.libraryTable(m, usual)
	p.heading(3, "With the library's own lease")
	p.libraryTable(m, own)
	p.heading(3, "In other systems")
	p.libraryTable(m, systems)
}

// libraryTable writes a table of some rows, without the columns that are not possible in any.
func (p *page) libraryTable(m *matrix.Matrix, rows []matrix.Row) {
	columns := slices.DeleteFunc(slices.Clone(m.Columns), func(c matrix.Column) bool {
		return !slices.ContainsFunc(rows, func(r matrix.Row) bool {
			return m.Cell(r.Name, c.Name).Impossible == ""
		})
	})
	blind := slices.ContainsFunc(rows, func(r matrix.Row) bool { return neverJudged(m, r) != "" })
	head := []string{"library"}
	if blind {
		head = append(head, "never judged")
	}
	for _, c := range columns {
		head = append(head, c.Name)
	}
	p.head(head...)
	for _, r := range rows {
		row := []string{fmt.Sprintf("[%s](%s)", r.Name, libraryPage(r.Adapter))}
		if blind {
			row = append(row, neverJudged(m, r))
		}
		for _, c := range columns {
			row = append(row, libraryCell(m, r, c))
		}
		p.row(row...)
	}
}

// libraryCell formats a cell without the letters that are never judged in its row.
func libraryCell(m *matrix.Matrix, r matrix.Row, column matrix.Column) string {
	c := m.Cell(r.Name, column.Name)
	if c.Impossible != "" {
		return ""
	}
	found, unknown := strings.Join(c.Found(), ""), openIn(m, r, c)
	if c.Elsewhere || unknown == strings.Join(c.Unknown(), "") {
		return c.String()
	}
	if unknown != "" {
		unknown += "?"
	}
	return nothing(strings.TrimSpace(found + " " + unknown))
}

// openIn returns the unknown letters of a cell, except for letters that its row never judges.
func openIn(m *matrix.Matrix, r matrix.Row, c *matrix.Cell) string {
	never := neverJudged(m, r)
	return strings.Join(slices.DeleteFunc(c.Unknown(), func(l string) bool {
		return strings.Contains(never, l)
	}), "")
}

// neverJudged returns the letters that are unknown in each cell of a row.
func neverJudged(m *matrix.Matrix, r matrix.Row) string {
	var never []string
	first := true
	for _, column := range m.Columns {
		c := m.Cell(r.Name, column.Name)
		if c.Impossible != "" || c.Elsewhere || len(c.Runs) == 0 {
			continue
		}
		if first {
			never, first = slices.Clone(c.Unknown()), false
			continue
		}
		never = slices.DeleteFunc(never, func(l string) bool { return !slices.Contains(c.Unknown(), l) })
	}
	return strings.Join(never, "")
}

// inShort lists the libraries and faults with violations that are worse than work that outlasts its
// lease.
func inShort(m *matrix.Matrix) (lines []string) {
	said := "" // letters that have a line for all faults
	for _, q := range []struct {
		what, letters string
		calm          bool // without any fault
	}{
		{"Something is wrong without any fault", "SLODFUEV", true},
		{"Two clients are inside although both leases are valid (L)", "L", false},
		{"A client releases another's lock (O)", "O", false},
		{"No client is granted the lock although nobody is inside (D)", "D", false},
		{"A grant is over when it is delivered (V)", "V", false},
		{"The guarded resource loses a write (U)", "U", false},
	} {
		if !q.calm {
			said += q.letters
		}
		if found := where(m, q.letters, q.calm); found != "" {
			lines = append(lines, q.what+": "+found+".")
		}
	}
	return append(lines, "Everything else is S without L, "+
		strings.Join(append(unsaid(m, said), "or only reported. "), ", ")+"S without L is a hold "+
		"that outlasts a known lease: a fencing token at the resource helps. In other systems L is not "+
		"known, and a server may have forgotten the lock, as PostgreSQL's standby in a failover.")
}

// unsaid returns the letters that decide a run and were violated under a fault, except for S and
// the letters of said.
func unsaid(m *matrix.Matrix, said string) (letters []string) {
	for _, l := range history.Properties() {
		row, _ := history.FindProperty(l)
		if !row.Reported && !strings.Contains(checker.MutualExclusion+said, l) &&
			where(m, l, false) != "" {
			letters = append(letters, l)
		}
	}
	return letters
}

// where lists the rows that violate one of the properties, grouped by the faults.
func where(m *matrix.Matrix, letters string, calm bool) string {
	var lists []string
	rows := map[string][]string{}
	for _, r := range m.Rows {
		var faults []string
		for _, c := range m.Columns {
			found := strings.Join(m.Cell(r.Name, c.Name).Found(), "")
			if calm == (c.Name == "none") && strings.ContainsAny(found, letters) {
				faults = append(faults, c.Name)
			}
		}
		if len(faults) == 0 {
			continue
		}
		list := strings.Join(faults, ", ")
		if rows[list] == nil {
			lists = append(lists, list)
		}
		rows[list] = append(rows[list], r.Name)
	}
	for i, list := range lists {
		if lists[i] = strings.Join(rows[list], ", "); !calm {
			lists[i] = "under " + list + ": " + lists[i]
		}
	}
	return strings.Join(lists, "; ")
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

// library writes the page of one library, with the findings under each fault for each variant.
func (b *Book) library(p *page, adapter string) {
	p.heading(1, adapter)
	p.paragraph("See [libraries.md](../libraries.md). " +
		"`lockbench run --adapter NAME --variant VARIANT --nemesis FAULT` shows any of these.")
	if lines := mends(b.Libraries, adapter); len(lines) > 0 {
		p.heading(2, "What to do")
		p.paragraph("`run` says this, by variant and scenario. *Another lock*: `lockbench choose " +
			"--fault FAULT`.")
		p.items(lines)
	}
	library := ""
	for _, r := range b.Libraries.Rows {
		if r.Adapter == adapter {
			p.variant(b.Libraries, r, library)
			library = r.Library
		}
	}
}

// variant writes the table of one row. It names the library unless that is the one before.
func (p *page) variant(m *matrix.Matrix, r matrix.Row, before string) {
	p.heading(2, r.Name)
	if r.Library != before {
		p.paragraph("%s.", r.Library)
	}
	if never := neverJudged(m, r); never != "" {
		p.paragraph("Never judged: %s.", never)
	}
	var rows [][]string
	for _, c := range m.Columns {
		if cell := m.Cell(r.Name, c.Name); cell.Impossible == "" {
			rows = append(rows, foundIn(cell, openIn(m, r, cell))...)
		}
	}
	if len(rows) == 0 {
		p.paragraph("Nothing was found.%s", notRun(m, r))
		return
	}
	p.head("fault", "letters", "class", "runs", "shown by")
	for _, row := range rows {
		p.row(row...)
	}
	if missing := notRun(m, r); missing != "" {
		p.paragraph("%s", missing[1:])
	}
}

// notRun names the faults that were not run of a row, after a space.
func notRun(m *matrix.Matrix, r matrix.Row) string {
	var names []string
	for _, c := range m.Columns {
		if cell := m.Cell(r.Name, c.Name); cell.Impossible == "" && len(cell.Runs) == 0 {
			names = append(names, "`"+c.Name+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Not run: " + strings.Join(names, ", ") + "."
}

// foundIn returns a row for each class of violations of a cell, and one for its unknown letters.
func foundIn(cell *matrix.Cell, open string) (rows [][]string) {
	for _, l := range cell.Properties {
		if l.Found != checker.Violated || l.Inherited {
			continue
		}
		row := []string{cell.Column, l.Name, l.Class, fmt.Sprintf("%d/%d", l.Runs, l.Of),
			"`" + shownBy(cell, l.Name) + "`"}
		i := slices.IndexFunc(rows, func(x []string) bool { return slices.Equal(x[2:], row[2:]) })
		if i < 0 {
			rows = append(rows, row)
			continue
		}
		rows[i][1] += l.Name
	}
	if open != "" {
		rows = append(rows, []string{cell.Column, open + "?", "not known", "", ""})
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
