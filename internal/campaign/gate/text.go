package gate

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// The most entries and lines of one screen.
const (
	mostTold = 3 // entries that are explained
	mostRows = 10
	widest   = 100 // columns
	leadToDo = "  to do   "
)

// LineOfToDo is the number of columns of a line of Shown.ToDo.
const LineOfToDo = widest - len(leadToDo)

// Text writes the result for a terminal, on about one screen: the answer, the unexpected entries
// with the files to look at, and a table. The page has the rest. Dir is the gate's directory.
func (r *Result) Text(w io.Writer, dir string) error {
	fmt.Fprintln(w, r.Sentence())
	for _, note := range r.Notes() {
		fmt.Fprintln(w, batch.Plain(note))
	}
	for _, e := range r.Entries {
		if e.InDoubt > 0 && e.Result == Passed {
			fmt.Fprintln(w, progress.Fold("In doubt. "+batch.Plain(e.Claim), widest, 4))
		}
	}
	r.explain(w, dir)
	fmt.Fprintln(w)
	return r.table(w)
}

// explain explains the first unexpected entries, and only one entry that merely took another
// course.
func (r *Result) explain(w io.Writer, dir string) {
	told, strays, more := 0, 0, 0
	for _, e := range r.InOrder() {
		strays += batch.Truth(e.Change == Different)
		switch {
		case e.Result == Passed || e.Change == Different && strays > 1:
		case told == mostTold:
			more++
		default:
			told++
			e.tell(w, dir)
		}
	}
	if strays > 1 {
		fmt.Fprintf(w, "\n%s more took another course in the same way.\n", units.Count(strays-1, "cell"))
	}
	if more > 0 {
		fmt.Fprintf(w, "\n%s more not explained here: the page has all.\n", units.Count(more, "entry"))
	}
}

// table writes the entries, the worst first if there are many.
func (r *Result) table(w io.Writer) error {
	rows := r.Entries
	if len(rows) > mostRows {
		rows = r.InOrder()[:mostRows]
	}
	t := progress.NewTable(w)
	t.Most = widest
	fmt.Fprintln(t, "RESULT\tEXPECTED\tFOUND\tRUNS\tENTRY")
	for _, e := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", e.Result, e.Expect, batch.Plain(e.Found), e.made(),
			batch.Plain(e.Name))
	}
	if n := len(r.Entries) - len(rows); n > 0 {
		fmt.Fprintf(t, "… and %d more\n", n)
	}
	return t.Flush()
}

// made says how many runs an entry had, also those that were disturbed and made again.
func (e *EntryResult) made() string {
	disturbed := 0
	for _, run := range e.Runs {
		disturbed += batch.Truth(run.Disturbed || run.Stalled)
	}
	switch {
	case e.Planned == 0:
		return "–" // the forms have no runs of their own
	case disturbed == 0:
		return fmt.Sprint(len(e.Runs))
	}
	return fmt.Sprintf("%d, %d disturbed", len(e.Runs), disturbed)
}

// tell explains the result of an entry and which files show it.
func (e EntryResult) tell(w io.Writer, dir string) {
	fmt.Fprintf(w, "\n%s: %s\n  %s\n", e.Result, batch.Plain(e.Name), batch.Plain(e.Claim))
	s := e.Shown
	if s == nil {
		return
	}
	s.say(w)
	for _, line := range []struct{ what, text string }{
		{"report          ", pathIn(dir, s.Report)},
		{"run             ", pathIn(dir, s.Dir)}, {"again           ", s.Reproduce},
		{"then            ", inCheckout(s.Then)},
		{"counterexample  ", pathIn(dir, s.Counterexample)},
	} {
		if line.text != "" {
			fmt.Fprintf(w, "  %s%s\n", line.what, batch.Plain(line.text))
		}
	}
}

// say writes the story of a violation and what to do about it, in lines that are not too long.
func (s *Shown) say(w io.Writer) {
	if s.Explanation != "" {
		fmt.Fprintln(w, progress.Fold("  "+batch.Plain(s.Explanation), widest, 2))
	}
	lead := leadToDo
	for line := range strings.Lines(s.ToDo) {
		fmt.Fprintln(w, strings.TrimRight(lead+batch.Plain(strings.TrimSuffix(line, "\n")), " "))
		lead = strings.Repeat(" ", len(leadToDo))
	}
}

// inCheckout says where a command must be run to repeat the original result.
func inCheckout(command string) string {
	if command == "" {
		return ""
	}
	return command + "   # in a checkout of the commit that wrote the file"
}

func pathIn(dir, name string) string {
	if name == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// Took returns the total duration of the runs of an entry.
func (e EntryResult) Took() (all history.Duration) {
	for _, r := range e.Runs {
		all += r.Took
	}
	return history.Duration(all.D().Round(100 * time.Millisecond))
}

// Notes say what is not as it was when the file was measured: the lock, and versions.
func (r *Result) Notes() (all []string) {
	if other := r.otherLock(); other != "" {
		all = append(all, other)
	}
	if r.Gate.Written == nil {
		return all
	}
	var changed []string
	now := Flat(r.Versions)
	for _, what := range slices.Sorted(maps.Keys(r.Gate.Written.With)) {
		if was, is := r.Gate.Written.With[what], now[what]; is != "" && is != was {
			_, library, _ := strings.Cut(what, "'s ") // after the environment
			changed = append(changed, fmt.Sprintf("%s %s (was %s)", library, is, was))
		}
	}
	if len(changed) > 0 {
		all = append(all, "Since the file was measured: "+units.List(changed)+".")
	}
	return all
}

// otherLock returns a note if the file was measured with another lock than it runs now, or "".
func (r *Result) otherLock() string {
	was := r.Gate.measured()
	for _, e := range r.Gate.Entries {
		if was != "" && e.Found != nil && e.lock() != was {
			return fmt.Sprintf("This file was measured with %s and now runs %s.", was, e.lock())
		}
	}
	return ""
}

// how counts the failed entries by their change.
func (r *Result) how() string {
	n := map[Change]int{}
	for _, e := range r.Entries {
		n[e.Change]++
	}
	var parts []string
	for _, x := range []struct {
		n    int
		word string
	}{{n[Worse], "worse"}, {n[Expired], "expired"}, {n[Gone], "without what was expected"},
		{n[Said], "says something else"}, {n[Different], "only took another course"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	return strings.Join(parts, ", ")
}

// part says how much of the gate a shard has.
func (r *Result) part() string {
	if r.Shard.Of <= 1 {
		return ""
	}
	here, all := 0, 0
	for i := range r.Gate.Entries {
		if e := &r.Gate.Entries[i]; chosen(r.Only, e.Name) {
			all += e.planned()
		}
	}
	for _, e := range r.Entries {
		here += e.Planned
	}
	return fmt.Sprintf("Part %d of %d, with %d of %s: ", r.Shard.Index, r.Shard.Of, here,
		units.Count(all, "run"))
}

// Sentence returns the conclusion.
func (r *Result) Sentence() string {
	var parts []string
	for _, x := range []struct {
		o    Outcome
		word string
	}{{Failed, "not as expected"}, {Refused, "not possible"}, {Broken, "broken"}, {Unknown, "unknown"},
		{Allowed, "unknown and allowed to be"}} {
		if n := r.Count(x.o); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, x.word))
			if how := r.how(); x.o == Failed && how != "" {
				parts[0] += " (" + how + ")"
			}
		}
	}
	s := r.part() + fmt.Sprintf("%d of %d entries are as expected", r.Count(Passed), len(r.Entries)) +
		r.accepted()
	if len(parts) > 0 {
		s += "; " + strings.Join(parts, ", ")
	}
	left := len(r.Gate.Entries)
	for _, e := range r.Entries {
		left -= batch.Truth(e.Planned > 0) // the forms have no runs of their own
	}
	if left > 0 {
		s += fmt.Sprintf("; %d were not asked for here", left)
	}
	if r.Partial {
		s += "; it is not complete"
	}
	return s + "."
}
