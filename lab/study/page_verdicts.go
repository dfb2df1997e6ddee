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
	p.paragraph("**The answer** was measured on %s. `lockbench matrix` ran each lock under each "+
		"fault, with scenarios that aim at each property in danger. A letter means that a run violated "+
		"this property ([the letters](#the-letters)). The first table shows under which faults each "+
		"lock fails. The page of a lock has the expectation, how often runs found each letter, the "+
		"result of the simulator, and the reason for every difference.", redisOf(m.Versions))
	b.answer(p)
	p.paragraph("\"-\" means that no fault of the table has this effect, and \"?\" that the runs "+
		"did not show enough to decide. In the last column the lock kept its promise, but the work "+
		"took longer than the lease. Against that, only shorter work or a fencing token at the "+
		"resource helps; under late, the holder entered on a grant whose lease was over, which a "+
		"validity check prevents. [verdicts/mitigations.md](%s) has measured remedies against the other "+
		"failures.",
		"verdicts/mitigations.md")

	p.heading(2, "The table")
	p.paragraph("Each cell has the letters that runs of this lock violated under this fault.")
	b.letters(p)
	p.items([]string{
		"\"-\": lockbench ran all scenarios of this fault with the lock, and found none of these " +
			"letters.",
		"\"SL?\": the runs could not decide S and L.",
		"\"n/p\": the fault is not possible for the lock. That says nothing about its safety.",
		"**Bold**: runs found a letter that was not expected. ~~Struck out~~: runs did not find an " +
			"expected letter, or could not decide it.",
	})
	p.letters()

	p.heading(2, "The faults")
	p.head("column", "what happens", "scenarios")
	for _, c := range m.Columns {
		p.row(c.Name, lineOf(c), aims(c))
	}

	p.heading(2, "How it was measured")
	p.paragraph("%s The lease is %s, unless a lock fixes its own. The matrix has %s of each "+
		"scenario, with seed %d, and took %s. [verdicts/how-often.md](verdicts/how-often.md) has 20 "+
		"runs of each. `lockbench matrix` measures, and `lab docs` writes this page.",
		m.Count(), m.TTL.D(), units.Count(m.Repeat, "run"), m.Seed, m.Took.D().Round(1e9))
	p.paragraph("The [expectations](../../docs/locks/expected.md) were written before any " +
		"measurement. If the two differ, the measurement is right. A run does not count, and is " +
		"repeated, if the machine stalled for half of the time that clients tolerate, or if a " +
		"command timed out without a fault.")

	p.heading(2, "Where to go on")
	p.items([]string{
		"[verdicts/how-often.md](verdicts/how-often.md): how often runs find each letter.",
		"[verdicts/mitigations.md](verdicts/mitigations.md): claimed remedies, measured.",
		"[exhaustive.md](exhaustive.md): the same table in the simulator, order by order.",
		"[claims.md](claims.md): the claims of the source documents.",
		"[containers.md](containers.md): the same verdicts in containers and with " +
			"other Redis versions.",
	})
}

// letters explains the letters of the table.
func (p *page) letters() {
	p.heading(2, "The letters")
	p.items([]string{
		"**S**, mutual exclusion: two clients were inside the lock at once.",
		"**L**, lease exclusion: two clients were inside at once while both leases were valid, so the " +
			"lock failed, or what it relies on. L includes S.",
		"**O**, owner only: a client released a lock that another client held.",
		"**R**, orphan: the lock stayed taken although no client held it, until its lease was over.",
		"**D**, progress: clients tried, but no client was granted the lock for longer than *the " +
			"bound*, although no fault was under way and no client held the lock.",
		"**A**, outage: no client was granted the lock for longer than the bound while the fault lasted.",
		"**F**, fencing: the fencing tokens did not grow.",
		"**V**, validity: a grant was not valid when its last reply arrived. Its lease was over or " +
			"shorter than promised, or too few servers had granted it.",
		"**N**, notice: another client came in before the lock told the holder that its hold was over. " +
			"The table leaves N out, and the report of each run has it. Most locks that violate S also " +
			"violate N. `lockbench choose --told` names the locks that tell their holder.",
	})
	p.paragraph("**The bound** of D and A is the longest time after which some client must be " +
		"granted a free lock: a lease, two pauses between tries, and a second ([more " +
		"exactly](../../docs/design.md#the-properties)).")
}

// answer writes a table of the faults under which a lock fails, by the kind of failure.
func (b *Book) answer(p *page) {
	p.head("lock", "the lock itself fails (L, O or F)", "no client gets it in time (D)",
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

// lineOf describes a recorded column in the words of today, or in its own if its scenarios were
// others.
func lineOf(c matrix.Column) string {
	_, now, err := matrix.RowsAndColumns(nil, []string{c.Name})
	if err != nil || aims(now[0]) != aims(c) {
		return c.Line
	}
	return now[0].Line
}
