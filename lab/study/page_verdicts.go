package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// verdicts writes lab/results/verdicts.md, which shows the faults under which each lock fails.
func (b *Book) verdicts(p *page) {
	m := b.Matrix
	p.heading(1, "Which lock survives which fault")
	p.paragraph("**The answer**, measured on %s: each lock ran under each fault, with "+
		"scenarios aimed at each property in danger. The page of a lock has the expectation, how "+
		"often each letter was found, the result of the simulator, and the reason for every "+
		"difference.",
		redisOf(m.Versions))
	b.answer(p)
	p.paragraph("\"-\": nothing; \"?\": not known. In the last column the lock kept its "+
		"promise, and the work took longer than its lease: only shorter work or a fencing token at the "+
		"resource helps. [verdicts/mitigations.md](%s) has what helps against the rest, measured.",
		"verdicts/mitigations.md")

	p.heading(2, "The table")
	b.letters(p)
	p.items([]string{
		"**S**: two clients were inside at once. **L**: both leases were also valid, so the lock failed.",
		"**O**: a client released a lock that another client held.",
		"**R**: the lock stayed taken although no client held it, up to its lease.",
		"**D**: no client is ever granted it again. **F**: the fencing tokens did not grow.",
		"**A**: while the fault lasted, no client was granted it for longer than the bound of D. " +
			"**V**: a grant was over, or never was one, when it was delivered.",
		"**N** (a holder was not told of the end of its hold) is only in the report of each run: where " +
			"S is found, most locks also violate N. `lockbench choose --told` names the locks that tell.",
		"\"-\": every scenario that is aimed at the lock was tried, and nothing of this happened. " +
			"\"SL?\": S and L are not known. \"n/p\": not possible, which says nothing about safety.",
		"**Bold**: found and not expected. ~~Struck out~~: expected and not found, or not known.",
	})

	p.heading(2, "The faults")
	p.head("column", "what happens", "scenarios")
	for _, c := range m.Columns {
		p.row(c.Name, c.Line, aims(c))
	}

	p.heading(2, "How it was measured")
	p.paragraph("%s The lease is %s for the locks that do not fix their own; %s of each scenario, "+
		"with seed %d, in %s; [verdicts/how-often.md](verdicts/how-often.md) has 20 runs of each. "+
		"`lockbench matrix` measures, and `lab docs` writes this page.",
		m.Count(), m.TTL.D(), units.Count(m.Repeat, "run"), m.Seed, m.Took.D().Round(1e9))
	p.paragraph("The [expectations](../../docs/locks/expected.md) were written before any " +
		"measurement. The measurement is right. If the machine stalled in a run for half of the " +
		"time that clients bear, or so that a command timed out without a fault, the run does " +
		"not count and is repeated.")

	p.heading(2, "Where to go on")
	p.items([]string{
		"[verdicts/how-often.md](verdicts/how-often.md): how often each letter is found.",
		"[verdicts/mitigations.md](verdicts/mitigations.md): claimed remedies, measured.",
		"[exhaustive.md](exhaustive.md): the same table in the simulator, order by order.",
		"[claims.md](claims.md): the claims of the source documents.",
		"[containers.md](containers.md): the same verdicts in containers and with " +
			"other Redis versions.",
	})
}

// answer writes a table of the faults under which a lock fails, by the kind of failure.
func (b *Book) answer(p *page) {
	p.head("lock", "the lock itself fails (L, O or F)", "it is never free again (D)",
		"only the work outlasts its lease (S)")
	for _, r := range b.Matrix.Rows {
		var fails, dead, overrun []string
		unsure := ""
		for _, c := range b.Matrix.Columns {
			letters, _ := b.measured(r.Name, c.Name)
			has := func(l string) bool { return slices.Contains(letters, l) }
			if slices.Contains(b.Matrix.Cell(r.Name, c.Name).Unknown(), "S") {
				unsure = "?"
			}
			if has("L") || has("O") || has("F") {
				fails = append(fails, c.Name)
			} else if has("S") {
				overrun = append(overrun, c.Name)
			}
			if has("D") {
				dead = append(dead, c.Name)
			}
		}
		p.row(nameLink(r, "verdicts/"), underFaults(fails, unsure), underFaults(dead, unsure),
			underFaults(overrun, unsure))
	}
}

// underFaults lists faults. A lock that fails without any fault fails under each of them. If there
// are none, it returns unsure or "-".
func underFaults(faults []string, unsure string) string {
	switch {
	case len(faults) == 0:
		return cmp.Or(unsure, "-")
	case faults[0] == "none":
		return "**without any fault**"
	}
	return strings.Join(faults, ", ")
}

// letters writes the whole table.
func (b *Book) letters(p *page) {
	head := []string{"lock"}
	for _, c := range b.Matrix.Columns {
		head = append(head, c.Name)
	}
	p.head(head...)
	for _, r := range b.Matrix.Rows {
		row := []string{nameLink(r, "verdicts/")}
		for _, c := range b.Matrix.Columns {
			row = append(row, b.Matrix.Cell(r.Name, c.Name).Marked())
		}
		p.row(row...)
	}
}

// nameLink links a row to its page.
func nameLink(r matrix.Row, dir string) string {
	to := dir + r.Impl + ".md"
	if hasSeveralRows(r.Impl) {
		to += "#" + strings.ReplaceAll(r.Name, " ", "-")
	}
	return fmt.Sprintf("[%s](%s)", r.Name, to)
}

// hasSeveralRows reports whether a lock has more than one row.
func hasSeveralRows(impl string) bool { return len(rowsOf(impl)) > 1 }

func rowsOf(impl string) []matrix.Row {
	return slices.DeleteFunc(matrix.Rows(), func(r matrix.Row) bool { return r.Impl != impl })
}

// aims lists the scenarios of a fault.
func aims(c matrix.Column) string {
	var names []string
	for _, a := range c.Aims {
		n := "`" + a.Nemesis + "`"
		if a.Control {
			n += " (control)"
		}
		names = append(names, n)
	}
	return strings.Join(names, ", ")
}
