package view

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
)

// Title names the properties and the class: "S and L: lost by a server".
func (w *Violation) Title() string {
	var names []string
	for _, p := range w.Properties {
		names = append(names, page.Clean(p, 24))
	}
	s, what := units.List(names), page.Clean(w.Class, 80)
	if what == "" {
		what = short(w.Properties[0])
	}
	if what != "" {
		s += ": " + what
	}
	return s
}

// Clients names the clients of the violation: "Clients 0 and 2".
func (w *Violation) Clients() string {
	var ns []int
	for _, h := range w.Holds {
		ns = append(ns, h.Process)
	}
	slices.Sort(ns)
	if len(ns) == 1 {
		return "Client " + fmt.Sprint(ns[0])
	}
	return "Clients " + units.List(ns)
}

// Sentence says what went wrong between the holds of the violation: the defect, and for how long
// which clients were inside. It returns "" if the violation is not about holds that overlap.
func (w *Violation) Sentence() string {
	switch {
	case w.pair != nil:
		return page.Clean(explain.Headline(w.faults, w.pair, w.property), 300)
	case !w.Together:
		return page.Clean(explain.Trespass(w.property), 300)
	}
	s := fmt.Sprintf("%s were %s inside lock %d for %s", w.Clients(), w.bothOrAll(), w.Key,
		units.Span(w.Overlap()))
	if w.Class != "" {
		s += ": " + page.Clean(w.Class, 80)
	}
	if checker.FindClass(w.Class).Overrun {
		s += ", which no lease prevents"
	}
	return s + "."
}

// Further says how many more overlaps there are, or "" if there are none.
func (w *Violation) Further() string {
	if w.More == 0 {
		return ""
	}
	n := units.Count(w.More, "more pair")
	if w.More >= checker.MostMore {
		n = "at least " + n
	}
	return fmt.Sprintf("%s of holds of lock %d also overlapped in this run.", n, w.Key)
}

func (w *Violation) bothOrAll() string {
	if len(w.Holds) > 2 {
		return "all"
	}
	return "both"
}

// Label returns the violation's label on the timeline.
func (w *Violation) Label() string {
	if w.Together {
		return w.bothOrAll() + " inside, " + units.Span(w.Overlap())
	}
	if len(w.Properties) == 0 {
		return ""
	}
	p := w.Properties[0]
	if b := short(p); b != "" {
		return p + ": " + b
	}
	return page.Clean(p, 24) + " is violated"
}

// Why returns the cause of the violation by its class, or "" if it has none.
func (w *Violation) Why() string { return checker.FindClass(w.Class).Cause }
