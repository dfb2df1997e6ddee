package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/units"
)

// howOften writes docs/verdicts/how-often.md.
func (b *Book) howOften(p *page) {
	p.heading(1, "How often each letter is found")
	p.paragraph(
		"**The answer.** `make soak` runs every scenario of the matrix 20 times, and fails if " +
			"a letter is not found each time, if a lock that is safe does not stay clean, or if a control " +
			"finds anything. The letters below that are not found each time have a reason.")
	p.paragraph("\"S 20/20\": found in 20 of 20 runs of the scenario that is aimed at it. \"- 40\": " +
		"nothing found in 40 runs. \"=\": nothing that needs a fault, or not possible.")
	for _, s := range b.Soaks {
		p.heading(2, "Environment "+s.Environment)
		s.write(p)
	}
}

// mitigations writes docs/verdicts/mitigations.md.
func (b *Book) mitigations(p *page) {
	m := b.Mitigations
	p.heading(1, "What mends a lock")
	p.paragraph("**The answer.** What people are told to switch on, and what it does: measured by "+
		"`lockbench matrix --mitigations`, each fault %d times without and with it, on %s, with a lease "+
		"of %s.", m.Repeat, redisOf(m.Versions), m.TTL.D())
	p.head("mitigation", "mends", "mends, but then no client is granted the lock", "does not mend",
		"an acquire, without and with")
	for _, one := range mitigations() {
		if tried := m.of(one.Name); len(tried) > 0 {
			mends, stuck, not := effects(tried)
			cost := tried[len(tried)-1]
			p.row("`"+one.Name+"`", mends, stuck, not,
				spell(cost.Without.Acquire)+", "+spell(cost.With.Acquire))
		}
	}
	p.paragraph("The cost is the median of an acquire without competition and without any fault.")
	p.heading(2, "In detail")
	p.paragraph(
		"\"SL 5/5\": found in 5 of 5 runs; \"-\": in none. S without L under a failover or a " +
			"restart: the machine was so slow that the lease ended meanwhile.")
	for _, one := range mitigations() {
		tried := m.of(one.Name)
		if len(tried) == 0 {
			continue
		}
		p.paragraph("**`%s`.** %s", one.Name, units.Sentence(one.Line))
		p.head("lock", "fault", "without", "with")
		for _, t := range tried {
			p.row(t.Row, fmt.Sprintf("`%s`: %s", t.Nemesis, t.Line), t.Without.told(t), t.With.told(t))
		}
	}
}

// effects sorts the faults by what a mitigation does to them.
func effects(tried []MitigationCell) (mends, stuck, not string) {
	var lists [3][]string
	for _, t := range tried {
		if len(t.Without.Violated) == 0 {
			continue
		}
		kind := 0
		if len(t.With.Violated) > 0 {
			kind = 2
		} else if t.With.Stuck > 0 {
			kind = 1
		}
		if name := "`" + t.Nemesis + "`"; !slices.Contains(lists[kind], name) {
			lists[kind] = append(lists[kind], name)
		}
	}
	return strings.Join(lists[0], ", "), strings.Join(lists[1], ", "), strings.Join(lists[2], ", ")
}
