// Package view prepares a run for its reports: the files of its directory, the reading of its
// history that its verdict rests on, and the violations. All reports of a run share one View, so
// that they agree with each other and with the verdict.
package view

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/campaign/tour"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/reports/page"
)

// View is what the reports of a run draw and tell. It is read only once it is made, and not safe
// for concurrent use: some of it is made when it is first asked for.
type View struct {
	*store.Run
	*record.Record
	// Faults are the recorded faults with details from the plan.
	Faults []Fault
	// Violations are in the order of their rank, each once, also where it speaks for several
	// properties.
	Violations []*Violation
	// Curve says how likely the violation is from each step of the counterexample that the run
	// repeats. It is nil if the run repeats none.
	Curve *counterexample.Curve
	// Above are pages that lead to this run or belong to it, as seen from its directory.
	Above []page.Place
	// Cast has the roles of the clients, if the run shows a story that has roles.
	Cast tour.Cast
	// Unasked has the properties that the run was not asked to judge, if there are any.
	Unasked Unasked

	nodes []Node
}

// From leads from a run's directory to a page in a directory above; both are paths of this
// machine, or both are not.
func From(dir, to, text string) page.Place {
	rel, err := filepath.Rel(dir, to)
	if err != nil {
		return page.Place{}
	}
	return page.Place{Href: (&url.URL{Path: filepath.ToSlash(rel)}).String(), Text: text}
}

// ParentPages returns relative links from a run directory to the pages of the matrix or the gate
// above it, if they exist.
func ParentPages(dir string) (places []page.Place) {
	at, runs := dir, string(filepath.Separator)+store.Runs+string(filepath.Separator)
	if whole, err := filepath.Abs(dir); err == nil {
		at = whole
	}
	i := strings.LastIndex(at, runs)
	if i < 0 {
		return nil
	}
	for _, p := range [][2]string{{store.MatrixPage, "the matrix"}, {store.GatePage, "the gate"}} {
		if _, err := os.Stat(filepath.Join(at[:i], p[0])); err == nil {
			places = append(places, From(at, filepath.Join(at[:i], p[0]), p[1]))
		}
	}
	return places
}

// ErrNoHistory says that a run has no history and therefore no report.
var ErrNoHistory = errors.New("reports: a run without a history")

// New reads a run for its reports. Only the history is mandatory, even one that the checker
// refuses. A report leaves missing parts out and says so.
func New(r *store.Run) (*View, error) {
	if r.History == nil {
		return nil, ErrNoHistory
	}
	v := &View{Run: r, Record: record.Build(trace.Prolonged(r.History, r.Trace))}
	v.Faults = faultsOf(v.Record, r.Plan)
	if r.Verdict != nil {
		v.Violations = violationsOf(r.Verdict)
		v.Cast = tour.CastOf(v.Planned().Story, r.History, r.Trace, r.Verdict)
		for i, w := range v.Violations {
			w.attach(v.History.Header, v.Record)
			w.play(v, i == 0)
		}
	}
	v.Unasked = findUnasked(v)
	if x, err := counterexample.ReadFile(filepath.Join(r.Dir, store.Counterexample)); err == nil {
		v.Curve = x.Curve
	}
	return v, nil
}

// maxRedraw bounds the events of a history that is judged only for its picture.
const maxRedraw = 100_000

// Redraw judges a violated run again: only a fresh verdict can draw porcupine's view of the failing
// slice. A verdict that comes out otherwise, by another lockbench, is left as it was.
func Redraw(r *store.Run) {
	if r.Verdict == nil || r.Verdict.Verdict != checker.Violated || len(r.History.Events) > maxRedraw {
		return
	}
	if fresh := checker.Check(r.History, r.Trace, checker.Options{}); fresh.Verdict ==
		checker.Violated {
		r.Verdict = fresh
	}
}

// First returns the violation that decides the run, or nil if there is none.
func (v *View) First() *Violation {
	if len(v.Violations) == 0 {
		return nil
	}
	return v.Violations[0]
}

// Grants returns all holds by the stamp of their grant, including reentrant ones.
func (v *View) Grants() []record.Hold {
	if len(v.Inner) == 0 {
		return v.Holds
	}
	all := slices.Concat(v.Holds, v.Inner)
	slices.SortStableFunc(all, func(a, b record.Hold) int { return cmp.Compare(a.From, b.From) })
	return all
}

// Clamp limits a stamp of the record, possibly record.Forever, to the end of the run.
func (v *View) Clamp(t int64) int64 { return min(t, v.End) }

// MaxLanes bounds the clients that have a lane of their own.
const MaxLanes = 48

// Lanes returns the clients that get a lane: all, or those in violations and then the first others.
func (v *View) Lanes() []int {
	if len(v.Clients) <= MaxLanes {
		return v.Clients
	}
	cs := slices.Clone(v.Clients)
	slices.SortStableFunc(cs, func(a, b int) int {
		return batch.Truth(v.Taking(b)) - batch.Truth(v.Taking(a))
	})
	return slices.Sorted(slices.Values(cs[:MaxLanes]))
}

// Taking reports whether a process takes part in any of the violations.
func (v *View) Taking(process int) bool {
	return slices.ContainsFunc(v.Violations, func(w *Violation) bool { return w.Has(process) })
}

// Who names a process.
func Who(process int) string {
	if process < 0 {
		return "harness"
	}
	return fmt.Sprintf("client %d", process)
}
