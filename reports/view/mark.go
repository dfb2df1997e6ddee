package view

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
)

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
