package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// exclusive are the properties whose violation is two clients inside at once.
var exclusive = []string{checker.MutualExclusion, checker.LeaseExclusion, checker.Validity}

// witness is what the page shows of a violation, and all properties that it speaks for.
type witness struct {
	properties []string
	key        int
	holds      []checker.Hold
	from, to   int64 // while all of its holds last; or their whole extent, if they do not overlap
	together   bool  // there is such a time
	class      string
	assumption string
	words      []string // one telling for each property that has its own
	commands   []checker.WitnessCommand
}

// witnessesOf returns what a verdict shows of its violations: those that decide the run first, and
// each once, also where it speaks for several properties.
func witnessesOf(v *checker.Verdict) (ws []*witness) {
	for _, reported := range []bool{false, true} {
		for _, p := range v.Properties {
			if p.Verdict == checker.Violated && p.Witness != nil && p.Reported == reported {
				ws = join(ws, p)
			}
		}
	}
	return ws
}

// join adds a property to the witness that speaks for it, or a witness of its own.
func join(ws []*witness, p checker.Property) []*witness {
	for _, w := range ws {
		if len(w.holds) > 0 && sameHolds(w.holds, p.Witness.Holds) && w.class == p.Class &&
			w.alike(p.Property) {
			w.properties = append(w.properties, p.Property)
			w.tell(p.Explanation)
			return ws
		}
	}
	return append(ws, newWitness(p))
}

// alike reports whether a property is about the same thing as the witness: two inside at once, or
// not.
func (w *witness) alike(property string) bool {
	return slices.Contains(exclusive, property) == slices.Contains(exclusive, w.properties[0])
}

// tell adds the words of a property. Those of L are often those of S and one sentence more: what is
// told already is not told twice.
func (w *witness) tell(words string) {
	for i, have := range w.words {
		switch {
		case within(words, have):
			return
		case within(have, words):
			w.words[i] = words
			return
		}
	}
	if words != "" {
		w.words = append(w.words, words)
	}
}

// within reports whether every sentence of a text stands in another.
func within(part, whole string) bool {
	for _, s := range strings.SplitAfter(part, ". ") {
		if !strings.Contains(whole, strings.TrimSpace(s)) {
			return false
		}
	}
	return true
}

func newWitness(p checker.Property) *witness {
	w := &witness{properties: []string{p.Property}, key: p.Witness.Key, holds: p.Witness.Holds,
		class:      p.Class,
		assumption: p.Assumption, commands: p.Witness.Commands}
	w.tell(p.Explanation)
	if len(w.holds) == 0 {
		w.spanCommands()
		return w
	}
	lo, hi := w.holds[0].From, w.holds[0].To
	w.from, w.to = lo, hi
	for _, h := range w.holds[1:] {
		lo, hi = min(lo, h.From), max(hi, h.To)
		w.from, w.to = max(w.from, h.From), min(w.to, h.To)
	}
	w.together = len(w.holds) > 1 && w.from < w.to && slices.Contains(exclusive, p.Property)
	if !w.together {
		w.from, w.to = lo, hi
	}
	return w
}

// spanCommands takes the time of a witness without holds from its commands.
func (w *witness) spanCommands() {
	for i, c := range w.commands {
		if i == 0 || c.Sent < w.from {
			w.from = c.Sent
		}
		w.to = max(w.to, c.Recv, c.Sent)
	}
}

// title names the properties and the class: "S and L: lost by failover".
func (w *witness) title() string {
	var names []string
	for _, p := range w.properties {
		names = append(names, page.Clean(p, 24))
	}
	s, what := units.List(names), page.Clean(w.class, 80)
	if what == "" {
		what = briefs[w.properties[0]]
	}
	if what != "" {
		s += ": " + what
	}
	return s
}

func sameHolds(a, b []checker.Hold) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Process != b[i].Process || a[i].N != b[i].N {
			return false
		}
	}
	return true
}

// overlap is how long all holds of the witness lasted together.
func (w *witness) overlap() time.Duration {
	if !w.together {
		return 0
	}
	return time.Duration(w.to - w.from)
}

// has reports whether a process takes part in the witness.
func (w *witness) has(process int) bool {
	for _, h := range w.holds {
		if h.Process == process {
			return true
		}
	}
	for _, c := range w.commands {
		if len(c.Args) > 0 && c.Process == process {
			return true
		}
	}
	return false
}

// clients names the clients of the witness: "Clients 0 and 2".
func (w *witness) clients() string {
	var ns []int
	for _, h := range w.holds {
		ns = append(ns, h.Process)
	}
	slices.Sort(ns)
	if len(ns) == 1 {
		return "Client " + fmt.Sprint(ns[0])
	}
	return "Clients " + units.List(ns)
}

func (w *witness) sentence() string {
	s := fmt.Sprintf("%s were both inside lock %d for %s", w.clients(), w.key, units.Span(w.overlap()))
	if len(w.holds) > 2 {
		s = strings.Replace(s, "both", "all", 1)
	}
	if w.class != "" {
		s += ": " + page.Clean(w.class, 80)
	}
	if w.assumption != "" {
		s += ", as the fault broke an assumption of the lock (" + page.Clean(w.assumption, 80) + ")"
	}
	return s + "."
}

// taking reports whether a process takes part in any of the violations.
func taking(ws []*witness, process int) bool {
	return slices.ContainsFunc(ws, func(w *witness) bool { return w.has(process) })
}

// processes are the clients of the witness.
func (w *witness) processes() (ps []int) {
	for _, h := range w.holds {
		ps = append(ps, h.Process)
	}
	for _, c := range w.commands {
		if len(c.Args) > 0 && (len(w.holds) == 0 || !w.together) {
			ps = append(ps, c.Process)
		}
	}
	return ps
}

// when is the time that the timeline marks: that of both being inside, or of the command that did
// it, or of the last hold.
func (w *witness) when(r *View) (from, to int64) {
	from, to = w.from, min(w.to, r.end)
	if w.together {
		return from, to
	}
	if n := len(w.holds); n > 1 {
		from, to = w.holds[n-1].From, w.holds[n-1].From
	}
	for _, c := range w.commands {
		if len(c.Args) > 0 {
			from, to = c.Sent, max(c.Sent, c.Recv)
		}
	}
	return from, to
}

// briefs name violations of which nobody was inside together.
var briefs = map[string]string{
	checker.OwnerRelease: "another's lock is released", checker.Orphan: "the key is left behind",
	checker.Deadlock: "nobody gets in", checker.Fencing: "the token does not grow",
	checker.LostUpdate: "an update is lost", checker.Reentry: "re-entry fails",
}

// label is what the timeline calls the violation.
func (w *witness) label() string {
	if !w.together {
		p := w.properties[0]
		if b := briefs[p]; b != "" {
			return p + ": " + b
		}
		return page.Clean(p, 24) + " is violated"
	}
	if len(w.holds) > 2 {
		return "all inside, " + units.Span(w.overlap())
	}
	return "both inside, " + units.Span(w.overlap())
}
