package reports

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// fault is an action of the nemesis with its effect.
type fault struct {
	id        int
	f, target string
	from, to  int64
	open      bool // the record ended first
	strike    bool
	by        *int
	err       string
	offset    time.Duration // of a clock, as the plan has it
	rate      float64       // of a clock
}

// name is the fault as a label: "kill n0".
func (f fault) name() string {
	s := strings.TrimSpace(f.f + " " + f.target)
	if c := f.clock(); c != "" {
		s += " " + c
	}
	return page.Clean(s, 60)
}

// words tells what the nemesis did: "n0 was killed".
func (f fault) words() string {
	begin, _ := nemesis.Tell(f.f, f.target)
	if c := f.clock(); c != "" {
		begin += " by " + c
	}
	if !strings.HasPrefix(begin, f.target) { // the name of a node stays as it is
		begin = units.Upper(begin)
	}
	return page.Clean(begin, 90)
}

// clock is by how much a clock was moved, if it was.
func (f fault) clock() string {
	s := ""
	if f.offset > 0 {
		s = "+" + units.Span(f.offset)
	} else if f.offset < 0 {
		s = "−" + units.Span(-f.offset)
	}
	if f.rate != 0 {
		s += fmt.Sprintf(" %+.3g s/s", f.rate)
	}
	return strings.TrimSpace(s)
}

// linked reports whether the fault changes what passes a link whose connections stay.
func (f fault) linked() bool {
	a, _ := nemesis.ActionOf(f.f)
	return a.Family == nemesis.Loss || a.Family == nemesis.Lateness
}

// planned is what this package reads of a plan's scenario.
type planned struct {
	Scenario []struct {
		Do     string           `json:"do"`
		Offset history.Duration `json:"offset"`
		Rate   float64          `json:"rate"`
	} `json:"scenario"`
}

// annotate gives the faults of clocks what the plan says of them: the record has their order, the
// plan by how much.
func annotate(faults []fault, plan json.RawMessage) {
	var p planned
	if json.Unmarshal(plan, &p) != nil {
		return
	}
	next := map[string]int{} // of each kind, where in the scenario to look on
	for i := range faults {
		f := &faults[i]
		for at := next[f.f]; at < len(p.Scenario); at++ {
			if s := p.Scenario[at]; s.Do == f.f {
				f.offset, f.rate, next[f.f] = s.Offset.D(), s.Rate, at+1
				break
			}
		}
	}
}

func (c *collector) fault(e *history.Event) {
	if e.Phase == history.PhaseFrom {
		c.begun[e.ID] = len(c.faults)
		c.faults = append(c.faults, fault{id: e.ID, f: e.F, target: e.Target, from: e.T, open: true,
			strike: e.Aimed, by: e.By})
		return
	}
	if i, ok := c.begun[e.ID]; ok {
		f := &c.faults[i]
		f.to, f.open, f.err = e.T, strings.Contains(e.Err, "still open"), e.Err
	}
}

// closeFaults ends what the record left open. What is healed as the run is torn down lasted to its
// end.
func (c *collector) closeFaults() {
	for i := range c.faults {
		if f := &c.faults[i]; f.to == 0 || f.to > c.end-2e6 && f.to-f.from > 20e6 {
			f.to, f.open = c.end, true
		}
	}
}
