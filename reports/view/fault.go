package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Fault is a fault of the record.
type Fault struct {
	record.Fault
	Offset time.Duration // of a clock
}

// Row returns the table row of the fault's action, or the zero row if no table has it.
func (f Fault) Row() nemesis.Action {
	a, _ := nemesis.ActionOf(f.Action)
	return a
}

// Name returns the fault as a label: "kill n0", "cut the link from n0 to n1", "drop a command of
// client 1".
func (f Fault) Name() string {
	target := f.Target
	if target != "" {
		target = nemesis.TargetName(target)
	}
	if hits := f.Row().Hits; hits != "" {
		target = fmt.Sprintf(hits, target)
	}
	return page.Clean(strings.Join(strings.Fields(f.Action+" "+target+" "+f.clock()), " "), 60)
}

// Words describes the action of the nemesis: "n0 was killed".
func (f Fault) Words() string {
	begin, _ := f.Tell()
	if c := f.clock(); c != "" {
		begin += " by " + c
	}
	return f.sentence(begin)
}

// EndWords describes the end of the fault: "n0 came back". It is empty if the fault lasted until
// the run ended, or was over at once.
func (f Fault) EndWords() string {
	_, end := f.Tell()
	if end == "" || f.Lasting || f.To == f.From {
		return ""
	}
	return f.sentence(end)
}

// sentence returns words about the target as a sentence. It keeps the case of a node's name.
func (f Fault) sentence(words string) string {
	if node := nemesis.TargetName(f.Target) == f.Target; !node || !f.Row().Leads() {
		words = units.Upper(words)
	}
	return page.Clean(words, 90)
}

// clock says by how much the fault moved a clock, if it did.
func (f Fault) clock() string {
	s := ""
	if f.Offset > 0 {
		s = "+" + units.Span(f.Offset)
	} else if f.Offset < 0 {
		s = "−" + units.Span(-f.Offset)
	}
	if f.Rate != 0 {
		s += fmt.Sprintf(" %+.3g s/s", f.Rate)
	}
	return strings.TrimSpace(s)
}

// linked reports whether the fault changes what passes a link whose connections stay.
func (f Fault) linked() bool {
	family := f.Row().Family
	return family == nemesis.Loss || family == nemesis.Lateness
}

// faultsOf returns the faults of a record. If it is older than the field for the offset of a clock,
// the plan says by how much the clock was moved.
func faultsOf(r *record.Record, plan json.RawMessage) (faults []Fault) {
	p := planOf(plan)
	for _, found := range r.Faults {
		f := Fault{Fault: found}
		if found.Clock != nil {
			f.Offset = found.Clock.D()
		}
		i := slices.IndexFunc(p.Scenario, func(s nemesis.Step) bool { return s.Do == f.Action })
		if i >= 0 && found.Clock == nil {
			f.Offset, f.Rate = p.Scenario[i].Offset.D(), p.Scenario[i].Rate
			p.Scenario = slices.Delete(p.Scenario, i, i+1)
		}
		faults = append(faults, f)
	}
	return faults
}

// MarkText describes an event of a client. It returns "" for the planned end of a process that did
// not end a hold: other steps show it.
func (v *View) MarkText(e *history.Event) string {
	switch e.Type {
	case history.Lost:
		return "told that the hold is over: " + page.Clean(e.Err, 80)
	case history.Gap:
		if e.Planned {
			return "stood at a breakpoint of the scenario for " + units.Span(e.Gap)
		}
		return "did not run for " + units.Span(e.Gap)
	case history.Kill:
		return "killed by the harness"
	case history.Exit:
		return exitText(e, v.Grants())
	}
	return "lease extended"
}

func exitText(e *history.Event, grants []record.Hold) string {
	ended := slices.ContainsFunc(grants, func(h record.Hold) bool {
		return h.Process == e.Process && h.Ended == record.Vanished
	})
	switch {
	case e.Signal != "":
		return "process ended by its lock"
	case !e.Planned:
		return "process gone, which the plan does not say"
	case ended:
		return "process gone, as planned"
	}
	return ""
}

// Orderly reports whether a hold ended by a release that Redis confirmed: its lease says nothing
// any more.
func Orderly(h *record.Hold) bool { return h.Ended == record.Released && h.Answer == history.OK }

// Ending says how a hold ended.
func Ending(h *record.Hold) string {
	switch {
	case h.Ended == record.Killed:
		return "killed"
	case h.Ended == record.Vanished:
		return "gone"
	case h.Ended == record.Again:
		return "acquired again without a release"
	case h.Ended == record.Open:
		return "open"
	case h.Answer == history.OK:
		return "released"
	case h.Answer == history.Fail:
		return "release refused"
	}
	return "release unknown"
}
