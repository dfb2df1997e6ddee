package gate

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Text writes the result for a terminal: a table, and below it everything that is not as expected,
// with the files to look at. Dir is the gate's directory.
func (r *Result) Text(w io.Writer, dir string) error {
	t := progress.NewTable(w)
	fmt.Fprintln(t, "RESULT\tENTRY\tENVIRONMENT\tEXPECTED\tFOUND\tRUNS\tTIME")
	for _, e := range r.Entries {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%v\n", e.Result, batch.Plain(e.Name), e.Environment,
			e.Expect,
			batch.Plain(e.Found), len(e.Runs), e.Took())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	strays := 0
	for _, e := range r.InOrder() {
		strays += batch.Truth(e.Change == Different)
		if e.Result != Passed && (e.Change != Different || strays == 1) {
			e.tell(w, dir)
		}
	}
	if strays > 1 {
		fmt.Fprintf(w, "\n%s more took another course in the same way.\n", units.Count(strays-1, "cell"))
	}
	if other := r.OtherLock(); other != "" {
		fmt.Fprintf(w, "\n%s\n", batch.Plain(other))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Sentence())
	return err
}

// tell explains the result of an entry and which files show it.
func (e EntryResult) tell(w io.Writer, dir string) {
	fmt.Fprintf(w, "\n%s: %s\n  %s\n", e.Result, batch.Plain(e.Name), batch.Plain(e.Claim))
	s := e.Shown
	if s == nil {
		return
	}
	for _, line := range []struct{ what, text string }{
		{"", s.Explanation}, {"to do           ", s.ToDo}, {"report          ", pathIn(dir, s.Report)},
		{"run             ", pathIn(dir, s.Dir)}, {"again           ", s.Reproduce},
		{"then            ", inCheckout(s.Then)},
		{"counterexample  ", pathIn(dir, s.Counterexample)},
	} {
		if line.text != "" {
			fmt.Fprintf(w, "  %s%s\n", line.what, batch.Plain(line.text))
		}
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

// OtherLock returns a note if the file was measured with another lock than it runs now, or "".
func (r *Result) OtherLock() string {
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
	}{{n[Worse], "worse"}, {n[Gone], "without what was expected"},
		{n[Said] + n[Different], "only different"}} {
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
