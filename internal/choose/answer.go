package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Answers has the answers to queries. Their places are the best lock and the faults.
var Answers = struct {
	None    string `json:"none"`    // no lock is sound
	Lacking string `json:"lacking"` // no sound lock meets the demands
	Fencing string `json:"fencing"`
	Told    string `json:"told"`
	Work    string `json:"work"`
	Other   string `json:"other"`
	// Unjudged has the places letters and locks.
	Unjudged string `json:"unjudged"`
	Meeting  string `json:"meeting"` // has the place number
	Kept     string `json:"kept"`    // ends the first two if a master may fail over
}{
	"No measured lock is sound under {faults}; let one transaction on the data decide{kept}.",
	"No measured lock is sound under {faults} and gives what you ask for; let one transaction on " +
		"the data decide{kept}.",
	"Let one transaction on the data decide; if none can, your data must check the tokens of {lock}.",
	"For leader election, use {lock}: it declares that it tells a leader when its term has ended.",
	"For long jobs, use {lock}: it is held while they run. No lock alone keeps a late holder out.",
	"Use {lock} under {faults}; only your data can refuse a holder that comes too late.",
	"Not judged here: {letters} of {locks}, since no run can see that of such a lock.",
	", {number} of them with what you ask for",
	", whose commit a failover keeps",
}

// Few is how many locks that are not to be recommended an answer names at most.
const Few = 2

// Answer answers a query in words.
func Answer(q Query, choices []Choice) string {
	best, text := Best(choices), Answers.Other
	switch {
	case len(best) == 0 && (q.Told || q.Fencing):
		text, best = Answers.Lacking, []Choice{{}}
	case len(best) == 0:
		text, best = Answers.None, []Choice{{}}
	case q.Fencing:
		text = Answers.Fencing
	case q.Told:
		text = Answers.Told
	case slices.Contains(q.AllFaults(), longwork):
		text = Answers.Work
	}
	kept := ""
	if slices.ContainsFunc(q.AllFaults(), func(fault string) bool {
		return strings.HasPrefix(fault, "failover")
	}) {
		kept = Answers.Kept
	}
	return strings.NewReplacer("{lock}", best[0].Name, "under {faults}", q.underFaults(),
		"{kept}", kept).Replace(text)
}

// Tally says how many locks stay clean under the faults of a query. It also says how many of these
// meet its demands if not all do, or their names if they are few and none is to be recommended.
func Tally(q Query, choices []Choice) string {
	n, meet, meeting := 0, 0, ""
	var names []string
	for _, c := range choices {
		n += batch.Truth(c.staysClean())
		meet += batch.Truth(c.Remains)
		if c.staysClean() {
			names = append(names, c.Name+", "+strings.Join(c.Gives, ", "))
		}
	}
	switch {
	case meet != n:
		meeting = strings.ReplaceAll(Answers.Meeting, "{number}", fmt.Sprint(meet))
	case 0 < n && n <= Few && len(Best(choices)) == 0:
		meeting = ": " + strings.Join(names, "; ")
	}
	return fmt.Sprintf("%d of the %s that were measured %s clean %s%s.", n,
		units.Count(len(choices), "lock"), units.Plural(n, "stays", "stay"), q.underFaults(), meeting)
}

// underFaults names the faults of a query: "under crash and partition".
func (q Query) underFaults() string {
	if faults := q.AllFaults(); len(faults) > 0 {
		return "under " + units.List(faults)
	}
	return "without a fault"
}

// TellRest says how many locks an answer leaves out, and what became of them.
func TellRest(choices, shown []Choice) string {
	left := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool {
		return slices.ContainsFunc(shown, func(s Choice) bool { return s.Lock == c.Lock })
	})
	var parts []string
	for _, g := range []struct {
		what string
		has  func(Choice) bool
	}{
		{"clean as well", func(c Choice) bool { return c.Remains && c.quality.level <= untried }},
		{"clean here but with a defect of their own under another fault",
			func(c Choice) bool { return c.Remains && c.quality.level > untried }},
		{"that lack what you ask for", Choice.lacksOnly},
		{"that do not stay clean", func(c Choice) bool {
			return !c.Remains && !c.Undecided() && !c.lacksOnly()
		}},
		{"not known", Choice.Undecided},
	} {
		n := 0
		for _, c := range left {
			n += batch.Truth(g.has(c))
		}
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", g.what))
		}
	}
	return units.List(parts)
}

// AllFaults returns the faults of a query and those that it implies, in the order of the matrix.
func (q Query) AllFaults() []string {
	asked, err := q.faults()
	if err != nil {
		return q.Faults
	}
	asked = asked[1:] // without "none"
	slices.SortStableFunc(asked, func(a, b string) int { return cmp.Compare(column(a), column(b)) })
	return asked
}

// column returns the index of a fault in the matrix. Faults of libraries come last.
func column(fault string) int {
	all := matrix.Columns()
	i := slices.IndexFunc(all, func(c matrix.Column) bool { return c.Name == fault })
	if i < 0 {
		return len(all)
	}
	return i
}
