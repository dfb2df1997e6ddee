package timeline

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

func (t *Timeline) bands(v *view.View) {
	for i, x := range v.Faults {
		if i == maxFaults {
			t.leave("%s", units.Count(len(v.Faults)-maxFaults, "fault"))
			break
		}
		text := fmt.Sprintf("%s, from %s to %s", x.Words(), units.Stamp(x.From),
			units.Stamp(v.Clamp(x.To)))
		if x.Lasting {
			text = fmt.Sprintf("%s at %s, to the end of the run", x.Words(), units.Stamp(x.From))
		}
		if x.By != nil {
			text += ", when " + view.Who(*x.By) + " reached the breakpoint"
		}
		if x.Err != "" {
			text += ": " + page.Clean(x.Err, 120)
		}
		t.Faults = append(t.Faults, band{us(x.From), us(v.Clamp(x.To)), x.Lasting, x.Aimed, x.Name(),
			text})
	}
}

// violation adds what went wrong, between the lanes of its clients.
func (t *Timeline) violation(w *view.Violation, v *view.View, clients []int) {
	from, to := w.When(v)
	o := Overlap{From: us(from), To: us(to), View: t.aim(w, v), Point: !w.Together, Label: w.Label()}
	for _, p := range w.Processes() {
		if i := slices.Index(clients, p); i >= 0 && !slices.Contains(o.Lanes, i) {
			o.Lanes = append(o.Lanes, i)
		}
	}
	slices.Sort(o.Lanes)
	if len(o.Lanes) > 0 {
		t.Overlaps = append(t.Overlaps, o)
	}
}
