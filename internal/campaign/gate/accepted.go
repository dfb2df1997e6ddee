package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/findings"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// accept records the defects that a passed entry has and its file expects.
func (e *EntryResult) accept(counted []Run) {
	if e.Result != Passed {
		return
	}
	e.Accepted = defects(counted)
}

// defects returns the letters that decide the runs, without an S from work that only outlasted a
// lease.
func defects(runs []Run) (letters []string) {
	for _, run := range runs {
		for _, l := range run.ViolatedAll() {
			overrun := l == checker.MutualExclusion && checker.FindClass(run.Classes[l]).Overrun
			if !overrun {
				letters = append(letters, l)
			}
		}
	}
	slices.SortFunc(letters, batch.ByProperty)
	return slices.Compact(letters)
}

// checkUntil refuses a date that is none, and a date or a ticket for an entry that accepts nothing.
func checkUntil(e *Entry, given fields) error {
	for _, name := range []string{"until", "ticket"} {
		f, ok := given[name]
		if ok && !e.Expect.Violates && e.Found == nil && e.Replay == "" {
			return f.At.Errorf("%s is for a defect that the file accepts, and this entry expects none; "+
				"remove it", name)
		}
		if _, err := time.Parse(time.DateOnly, e.Until); ok && name == "until" && err != nil {
			return f.At.Errorf("until is %q; write a day such as 2027-01-31", e.Until)
		}
	}
	return nil
}

// today returns the day in UTC. Tests replace it.
var today = func() string { return time.Now().UTC().Format(time.DateOnly) }

// expire fails an entry that shows a defect which is accepted until a day that is over, also if it
// is unknown otherwise. Of a passed entry it says how long the defect is accepted.
func (e *Entry) expire(f *EntryResult, counted []Run) {
	i := slices.IndexFunc(counted, func(r Run) bool { return len(defects([]Run{r})) > 0 })
	over := e.Until != "" && today() > e.Until
	open := f.Result == Unknown || f.Result == Allowed
	if f.Result != Passed && !(open && over) || e.Until+e.Ticket == "" || i < 0 {
		return
	}
	ticket := ""
	if e.Ticket != "" {
		ticket = " (" + e.Ticket + ")"
	}
	letters := strings.Join(defects(counted), ", ")
	switch {
	case e.Until == "":
		f.Claim += " Accepted" + ticket + "."
	case !over:
		f.Claim += " Accepted until " + e.Until + ticket + "."
	default:
		f.fail(Expired, f.Found+"; expired", counted[i], fmt.Sprintf("The file accepts %s until "+
			"%s%s, and that day is over. Mend the lock, or write another day.", letters, e.Until, ticket))
	}
}

// Cells returns the entries that were run, for findings.
func (r *Result) Cells() (cells []findings.Cell) {
	for i := range r.Gate.Entries {
		e := &r.Gate.Entries[i]
		k := slices.IndexFunc(r.Entries, func(x EntryResult) bool { return x.Name == e.Name })
		if k < 0 || e.Replay != "" {
			continue
		}
		lock := strings.TrimSpace(e.lock() + " " + e.Option("variant"))
		c := findings.Join(&cells, lock, e.fault())
		for _, run := range e.Count(r.Entries[k].Runs).Counted {
			for letter, verdict := range run.Properties {
				c.Add(letter, verdict)
			}
		}
	}
	return cells
}

// Accepts returns the number of entries that passed with an expected defect.
func (r *Result) Accepts() (n int) {
	for _, e := range r.Entries {
		n += batch.Truth(len(e.Accepted) > 0)
	}
	return n
}

// accepted says how many entries passed with a defect, and which ones. It returns "" if none did.
func (r *Result) accepted() string {
	var letters []string
	for _, e := range r.Entries {
		letters = append(letters, e.Accepted...)
	}
	if len(letters) == 0 {
		return ""
	}
	slices.SortFunc(letters, batch.ByProperty)
	letters = slices.Compact(letters)
	return fmt.Sprintf("; %d of them with a defect that the file accepts (%s)", r.Accepts(),
		strings.Join(letters, ", "))
}
