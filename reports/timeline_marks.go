package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

func (t *timeline) bands(r *View) {
	for i, x := range r.faults {
		if i == maxFaults {
			t.leave("%s", units.Count(len(r.faults)-maxFaults, "fault"))
			break
		}
		text := fmt.Sprintf("%s, from %s to %s", x.words(), units.At(x.from), units.At(x.to))
		if x.open {
			text = fmt.Sprintf("%s at %s, to the end of the run", x.words(), units.At(x.from))
		}
		if x.by != nil {
			text += ", when " + who(*x.by) + " reached the gate"
		}
		if x.err != "" && !strings.Contains(x.err, "still open") {
			text += ": " + page.Clean(x.err, 120)
		}
		t.Faults = append(t.Faults, band{us(x.from), us(x.to), x.open, x.strike, x.name(), text})
	}
}

// violation adds what went wrong, between the lanes of its clients.
func (t *timeline) violation(w *witness, r *View, clients []int) {
	from, to := w.when(r)
	o := overlap{From: us(from), To: us(to), View: t.aim(w, r), Point: !w.together, Label: w.label()}
	for _, p := range w.processes() {
		if i := slices.Index(clients, p); i >= 0 && !slices.Contains(o.Lanes, i) {
			o.Lanes = append(o.Lanes, i)
		}
	}
	slices.Sort(o.Lanes)
	if len(o.Lanes) > 0 {
		t.Overlaps = append(t.Overlaps, o)
	}
}
