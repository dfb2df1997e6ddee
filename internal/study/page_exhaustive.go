package study

import (
	"time"

	"github.com/lockbench/lockbench/internal/units"
)

// exhaustive writes docs/exhaustive.md: the table as the simulator decides it, on one page.
func (b *Book) exhaustive(p *page) {
	d := b.Exhaustive
	n := d.count(b.measured)
	p.heading(1, "The table of expected verdicts, order by order")
	p.paragraph("**The answer.** %d of %d cells have exactly the letters that were expected "+
		"([locks/expected.md](locks/expected.md)), and %d of %d those that were measured on real Redis "+
		"([verdicts.md](verdicts.md)). In %d of %d cells every order was gone through to the end in "+
		"both [spaces of the expectation](locks/expected.md#the-two-spaces); the others are worth the "+
		"schedules that were tried. A lock leads to its page, which has the reason for each difference "+
		"and the spaces of each cell.%s",
		n.agree, n.known, n.same, n.measured, n.finished, n.all, sentence(d.Partial))
	p.paragraph("Each cell was gone through in the simulator "+
		"([explore.md](explore.md#the-whole-table)): "+
		"all orders of commands, replies and wake-ups, and in each order the fault at every place, "+
		"within bounds that grow. `lockbench explore --matrix --each %d --docs docs` ran %s schedules "+
		"in %s and wrote this page.", d.Each, units.Thousands(n.schedules), d.Took.D().Round(time.Second))
	d.table(p, "verdicts/")
	p.items([]string{
		"The letters are those of [verdicts.md](verdicts.md#the-table). **Bold**: found and not " +
			"expected. ~~Struck out~~: expected and not found. Empty: not possible.",
		"The small numbers say up to how many preemptions every order was gone through, of 2 clients " +
			"with 2 rounds and of 3 clients with 1 round: what is not found there is not there. \"–\": " +
			"not even all orders without a preemption; then the number in brackets is that of 2 clients " +
			"with 1 round.",
		"Each acquire has 8 tries, a lease has three ticks, and clients work and wait for one.",
	})
	p.heading(2, "Beside real Redis")
	p.paragraph(
		"\"=\": the same letters. +X: found in the simulator and not on Redis. −X: found on " +
			"Redis and not in the simulator. \"·\": a space of the cell was not finished. \"?\": not " +
			"run on Redis.")
	d.comparison(p, b.measured)
}
