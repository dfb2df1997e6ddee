package choose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/nemesis"
)

// Heads are the heads of the columns of an answer, in the terminal and on the page of a matrix.
var Heads = [4]string{"lock", "gives, needs", "costs*", "clean in; broken by"}

// name returns the name of a lock, with its servers if its name does not tell them.
func name(r matrix.Row) string {
	s, _, _ := strings.Cut(r.System(), "-")
	if s != nemesis.Redis && !strings.Contains(r.Name, s) && !strings.Contains(r.Name, "postgres") {
		return r.Name + " (" + s + ")"
	}
	return r.Name
}

// gives lists what a lock gives, the most useful first, and how many servers it needs.
func gives(r matrix.Row, lock impls.Entry) []string {
	inSession := sessionOf(r, lock)
	return slices.Concat(units.If(lock.Fencing, "fencing"), units.If(inSession, "session"),
		units.If(lock.Lease && !inSession, "lease"), units.If(lock.Validity, "validity"),
		units.If(lock.Loss, Notice), units.If(lock.Optimistic, "refuses late writes"),
		units.If(r.Masters > 0, fmt.Sprint(r.Masters, " masters")))
}

// Notice is in the list of what a lock gives if it declares that it tells its holder of a loss.
const Notice = "notice"

// Costs returns the median acquire of one client alone, and the grants a second of clients that
// compete. A dash stands for a cost that was not measured.
func (c Choice) Costs() string {
	alone, busy := "–", "–"
	if c.Alone > 0 {
		alone = units.Span(c.Alone)
	}
	if c.Cost != nil && c.Cost.Grants > 0 {
		busy = fmt.Sprintf("%.0f/s", c.Cost.Throughput)
	}
	return alone + ", " + busy
}

// CostsNote explains the costs of some locks. It returns "" if none was measured.
func CostsNote(all []Choice) string {
	i := slices.IndexFunc(all, func(c Choice) bool { return c.Cost != nil && c.Cost.Grants > 0 })
	if i < 0 {
		return ""
	}
	cost := all[i].Cost
	return fmt.Sprintf("* the median acquire of one client alone, and the grants per second to %s "+
		"that hold the lock for %s each (at most %.0f); – was not measured. PostgreSQL and ZooKeeper "+
		"did not sync their disk",
		units.Count(cost.Clients, "client"), units.Span(cost.Hold), 1e9/float64(cost.Hold))
}

// Evidence returns the number of clean runs under the faults of the query and the other faults that
// break the lock, by their letters. It names as many faults as fit into some columns, or all of
// them if most is 0.
func (c Choice) Evidence(most int) string {
	breaks := c.worst()
	tail := ""
	if n := len(c.Untried) + c.unable; n > 0 {
		tail = fmt.Sprintf("; ?: %d", n)
	}
	for n := len(breaks); ; n-- {
		text := c.clean() + byLetters(breaks[:n])
		if n < len(breaks) {
			text += fmt.Sprintf(" +%d", len(breaks)-n)
		}
		if text += tail; n <= 1 || most == 0 || len(text) <= most {
			return text
		}
	}
}

// byLetters lists faults with the letters that they violate: "; SL: restart, failover; S: pause".
func byLetters(breaks [][2]string) (text string) {
	last := ""
	for _, b := range breaks {
		if b[1] == last {
			text += ", " + b[0]
		} else {
			text += "; " + b[1] + ": " + b[0]
		}
		last = b[1]
	}
	return text
}

// clean returns the fewest runs that were clean under one fault of the query: "20 of 20".
func (c Choice) clean() string {
	least := c.fewest()
	if least == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", least, least)
}

// fewest returns the fewest runs of one fault of the query that had some.
func (c Choice) fewest() (least int) {
	for _, p := range c.Shown() {
		if p.Runs > 0 && (least == 0 || p.Runs < least) {
			least = p.Runs
		}
	}
	return least
}

// runs returns the evidence for a lock that remains, in clean runs.
func (c Choice) runs() int {
	if !c.Remains {
		return 0
	}
	return c.fewest()
}

// worst returns the other faults that break the lock, each with its letters. Faults with the same
// letters follow each other. Those that only let a hold outlast its lease come last.
func (c Choice) worst() (all [][2]string) {
	var order []string
	for _, b := range c.Breaks {
		fault, letters, _ := strings.Cut(b, ": ")
		all = append(all, [2]string{fault, letters})
		if letters != checker.MutualExclusion {
			order = append(order, letters)
		}
	}
	order = append(order, checker.MutualExclusion)
	slices.SortStableFunc(all, func(a, b [2]string) int {
		return cmp.Compare(slices.Index(order, a[1]), slices.Index(order, b[1]))
	})
	return all
}

// Why returns the reasons against a lock. If it remains, they are the other faults that break it.
func (c Choice) Why() string {
	if c.Remains {
		return "clean here: " + c.Evidence(0)
	}
	return strings.Join(c.Against, "; ")
}

// Shown returns the proofs of a lock under the faults of the query. A query about no fault has the
// proof of that.
func (c Choice) Shown() []Proof {
	if len(c.Proofs) == 1 {
		return c.Proofs
	}
	return slices.DeleteFunc(slices.Clone(c.Proofs), func(p Proof) bool { return p.Fault == "none" })
}

// Page is the page about the use of locks.
const Page = "docs/which-lock.md"

// EvidenceNote explains the last column.
const EvidenceNote = "Clean in: runs without a violation, of the fault with the fewest, each " +
	"aimed at the moment that hurts; an outage (A) is none, unless --no-outage asks, and neither " +
	"is a key that stays until its lease is over (R). Broken by: " +
	"other faults, after the letters that they violate; ? counts those that were not tried. S " +
	"without L in Redis: the lease of one of two holders had ended."

// UnjudgedNote names the locks and the properties that no run could judge under the faults of the
// query. It returns "" if runs judged all.
func UnjudgedNote(all []Choice) string {
	var names []string
	letters := map[string]bool{}
	for _, c := range all {
		if len(c.Unjudged) > 0 {
			names = append(names, c.Name)
		}
		for _, l := range c.Unjudged {
			letters[l] = true
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.NewReplacer("{letters}", units.List(slices.Sorted(maps.Keys(letters))),
		"{locks}", units.List(names)).Replace(Answers.Unjudged)
}

// FencingNote says what fencing tokens need.
const FencingNote = "Fencing: it helps only if the resource refuses old tokens, and a failover " +
	"or a restart can set Redis' tokens back."

// NoticeNote explains what a lock with a notice declares.
const NoticeNote = "Notice: the lock declares that it tells its holder of a loss. Whether it " +
	"does so in time, the report of a run says (N)."
