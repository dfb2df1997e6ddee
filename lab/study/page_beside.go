package study

import (
	"cmp"
	_ "embed"
	"fmt"
	"github.com/lockbench/lockbench/internal/choose"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// howOften writes lab/results/verdicts/how-often.md.
func (b *Book) howOften(p *page) {
	p.heading(1, "How reliably each letter is found")
	p.paragraph(
		"**The answer.** Aimed scenarios repeat their result. `make soak` runs every scenario of the " +
			"matrix 20 times, and fails if a letter is not found each time, if a safe lock does not stay " +
			"clean, or if a control finds anything. Exceptions have a reason below. This says nothing " +
			"about how often a fault does harm in your system.")
	p.paragraph("\"SLO:20/20\": each found in 20 of 20 runs of the scenario that is aimed at it. " +
		"\"-40\": nothing found in 40 runs. \"=\": nothing that needs a fault, or not possible.")
	for _, s := range b.Soaks {
		p.heading(2, "Environment "+s.Environment)
		s.write(p)
	}
	b.writeContrasts(p)
}

// writeContrasts lists the violations with different rates on real Redis and in the simulator.
func (b *Book) writeContrasts(p *page) {
	p.heading(2, "The simulator compared with Redis")
	contrasts := b.contrasts()
	p.paragraph("Of all letters above, these are not found equally often in the two environments, "+
		"beyond luck (Fisher's exact test, %g). A letter that a lock has without any fault is compared "+
		"there only, and what one of the two never counted is not compared.", luck)
	if len(contrasts) == 0 {
		p.paragraph("None.")
		return
	}
	p.head("lock", "fault", "scenario", "letter", "on Redis", "in the simulator", "because")
	for _, c := range contrasts {
		p.row(c.Row, c.Column, "`"+c.Nemesis+"`", c.Property,
			fmt.Sprintf("%d/%d", c.Real.Hits, c.Real.Of), fmt.Sprintf("%d/%d", c.Sim.Hits, c.Sim.Of),
			cmp.Or(c.Why, "**not understood yet**"))
	}
}

// mitigations writes lab/results/verdicts/mitigations.md.
func (b *Book) mitigations(p *page) {
	m := b.Mitigations
	p.heading(1, "What mends a lock")
	p.paragraph("**The answer.** The recommended settings and their effect, measured by "+
		"`lab mitigations`, each fault %d times without and with it, on %s, with a lease "+
		"of %s. WAIT protects a grant only if **all** replicas must confirm it: with "+
		"fewer, the one that is promoted may be the one that never heard of it. So it was here, where "+
		"the harness promotes it as an operator would. Sentinel prefers the replica that has read most, "+
		"of those that it reaches. Where all must confirm, a replica that is "+
		"away keeps all clients out.", m.Repeat, redisOf(m.Versions), m.TTL.D())
	p.head("mitigation", "mends", "no client is granted the lock afterwards", "does not mend",
		"an acquire, without and with")
	for _, one := range mitigations() {
		if tried := m.cellsOf(one.Name); len(tried) > 0 {
			mends, stuck, not := effects(tried)
			if mends != "" && one.Limit != "" {
				mends += " (" + one.Limit + ")"
			}
			cost := tried[len(tried)-1]
			p.row("`"+one.Name+"`", mends, stuck, not,
				spell(cost.Without.Acquire)+", "+spell(cost.With.Acquire))
		}
	}
	p.paragraph("The cost is the median of an acquire without competition and without any fault. " +
		"Where no client is granted the lock afterwards, no two are inside either; `failover:healthy` " +
		"among these says that a failover which loses nothing has the same price.")
	p.heading(2, "In detail")
	p.paragraph(
		"\"SL 5/5\": found in 5 of 5 runs; \"-\": in none. S without L under a failover or a " +
			"restart: the machine was so slow that the lease ended meanwhile.")
	for _, one := range mitigations() {
		tried := m.cellsOf(one.Name)
		if len(tried) == 0 {
			continue
		}
		p.paragraph("**`%s`.** %s", one.Name, units.Sentence(one.Line))
		p.head("lock", "fault", "without", "with")
		for _, t := range tried {
			p.row(t.Row, fmt.Sprintf("`%s`: %s", t.Nemesis, t.Line), formatTrials(t.Without, t),
				formatTrials(t.With, t))
		}
	}
}

// effects sorts the faults by the effect of a mitigation on them.
func effects(tried []choose.MitigationCell) (mends, stuck, not string) {
	var lists [3][]string
	for _, t := range tried {
		kind := 0
		switch {
		case len(t.With.Violated) > 0:
			kind = 2
		case t.With.Stuck > 0: // even if there was nothing to mend
			kind = 1
		case len(t.Without.Violated) == 0:
			continue
		}
		if name := "`" + t.Nemesis + "`"; !slices.Contains(lists[kind], name) {
			lists[kind] = append(lists[kind], name)
		}
	}
	return strings.Join(lists[0], ", "), strings.Join(lists[1], ", "), strings.Join(lists[2], ", ")
}

// port is a document's posted code and the lock of lockbench that was made from it.
type port struct {
	Posted  string // a row of adapters
	Port    string // a row of locks
	Differs []departure
}

// departure is the reason why the results of cells differ.
type departure struct {
	Columns []string // if empty, all
	Why     string
}

//go:embed fidelity.yaml
var fidelityYAML string

var ports = batch.Table[[]port]("fidelity.yaml", fidelityYAML)

// why returns the reason why a cell differs, or "".
func (p port) why(column string) string {
	for _, d := range p.Differs {
		if len(d.Columns) == 0 || slices.Contains(d.Columns, column) {
			return d.Why
		}
	}
	return ""
}

// pair holds the violations of one cell, as posted and as ported. It excludes properties that are
// only reported.
type pair struct{ posted, ported, open string }

// same reports whether the violations are equal. It ignores unknown properties.
func (x pair) same() bool { return x.comparable(x.posted) == x.comparable(x.ported) }

// comparable removes the properties that are unknown for one of the two.
func (x pair) comparable(letters string) string {
	return strings.Map(func(l rune) rune {
		if strings.ContainsRune(x.open, l) {
			return -1
		}
		return l
	}, letters)
}

// compared returns the violations of a cell, and false if one of the two was not run.
func (p port) compared(m *matrix.Matrix, column string) (x pair, both bool) {
	a, b := m.Cell(p.Posted, column), m.Cell(p.Port, column)
	if a == nil || b == nil || a.Impossible != "" || b.Impossible != "" {
		return x, false
	}
	return pair{decisive(a.Found()), decisive(b.Found()),
		decisive(append(a.Unknown(), b.Unknown()...))}, true
}

func decisive(letters []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(letters), func(l string) bool {
		return strings.Contains("RAN", l)
	}), "")
}

// fidelity writes lab/results/fidelity.md, which compares our ports with the posted code.
func (b *Book) fidelity(p *page) {
	m := b.Fidelity
	same, whole, all := 0, 0, 0
	for _, x := range ports() {
		for _, c := range m.Columns {
			if y, both := x.compared(m, c.Name); both {
				all++
				same += batch.Truth(y.same())
				whole += batch.Truth(y.same() && y.open == "")
			}
		}
	}
	p.heading(1, "Are our ports what the documents posted?")
	p.paragraph("**The answer.** In %d of %d cells the documents' own code, on the client library of "+
		"its time and on the newest, has the letters of our port, where both are known; in %d of "+
		"these all letters are. The other cells are explained below. Both were run side by side on "+
		"%s with a lease of %s, each scenario %s.", same, all, whole,
		redisOf(m.Versions), m.TTL.D(), times(m.Repeat))
	p.paragraph("`lockbench matrix --impl %s --adapters posted-d000,posted-d002,posted-d004` "+
		"measures, and `lab docs` writes this page: a matrix of adapters *and* locks. The letters are those of "+
		"[design.md](../../docs/design.md#the-properties), without the reported R, A and N. "+
		"[locks.md](../../docs/locks.md) has the documents; [adapters](../../adapters/README.md) the "+
		"posted code.",
		strings.Join(portNames(), ","))
	head := []string{"as posted", "our port"}
	for _, c := range m.Columns {
		head = append(head, c.Name)
	}
	p.head(head...)
	var reasons []string
	for _, x := range ports() {
		row := []string{x.Posted, x.Port}
		for _, c := range m.Columns {
			y, both := x.compared(m, c.Name)
			switch {
			case !both:
				row = append(row, "n/p")
			case y.same():
				row = append(row, shown(y.comparable(y.posted))+open(y.open))
			default:
				row = append(row, fmt.Sprintf("%s, port %s%s", shown(y.comparable(y.posted)),
					shown(y.comparable(y.ported)), open(y.open)))
				reasons = append(reasons, fmt.Sprintf("%s, %s: %s", x.Posted, c.Name, x.why(c.Name)))
			}
		}
		p.row(row...)
	}
	p.paragraph("One entry: both have these letters; \"-\": none was found; \"?\": letters that " +
		"are not known for one of the two, because the machine stalled or because the pause between " +
		"two tries is not known, as of code that tries once; \"n/p\": one of the two cannot be run " +
		"there.")
	p.heading(2, "Where they differ")
	p.items(reasons)
}

func shown(letters string) string {
	if letters == "" {
		return "-"
	}
	return letters
}

func open(letters string) string {
	if letters == "" {
		return ""
	}
	return " ?"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// portNames returns the names of the ports without duplicates.
func portNames() (names []string) {
	for _, x := range ports() {
		if !slices.Contains(names, x.Port) {
			names = append(names, x.Port)
		}
	}
	return names
}
