package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/spf13/cobra"
)

func chooseCommand() *cobra.Command {
	var q choose.Query
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "choose",
		Short: "Say which locks remain for your faults and demands",
		Long: `choose goes through what this project has measured on real servers, which is built in, and
says which locks and libraries nothing broke under the
faults that you name, in how many runs, what they need and cost, and what else breaks them. What
remains comes with the commands that show it. What was not tried is not known: such a lock is
named, and does not remain. A crash of a client is always one of the faults, and locks that can stay
taken for ever come last. Where nothing remains, it says what else can be asked. It is about what a
fault can do, when it hits at the moment that hurts; at a random moment most do so seldom.`,
		Example: `  lockbench choose --fault crash --fault partition
  lockbench choose --fault failover,restart
  # pauses and work that outlast the lease are faults of their own
  lockbench choose --ttl 10s --longest-pause 15s --longest-work 3s
  # the resource refuses old tokens: two clients inside do no harm then
  lockbench choose --fault pause --fencing`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			choices, err := choose.Choose(q)
			if err != nil {
				return err
			}
			if asJSON {
				return broken(history.WriteDocument(c.OutOrStdout(), choices))
			}
			return broken(writeChoices(c.OutOrStdout(), choices, q, all))
		},
	}
	s := c.Flags()
	also(s, "nemesis", "fault")
	s.StringSliceVar(&q.Faults, "fault", nil,
		"your faults, by the names of the matrix' columns: crash, partition, failover, ...")
	s.DurationVar(&q.Lease, "ttl", 0, "your lease")
	s.DurationVar(&q.Pause, "longest-pause", 0, "how long a client may stop")
	s.DurationVar(&q.Work, "longest-work", 0, "how long a client may be inside")
	s.BoolVar(&q.Told, "told", false, "the lock must declare that it tells its holder of a loss")
	s.BoolVar(&q.Fencing, "fencing", false,
		"your resource refuses old tokens: the lock must give them, and two clients inside do no harm")
	s.BoolVar(&q.NoOutage, "no-outage", false, "no fault may keep all clients out for long")
	s.BoolVar(&all, "all", false, "also show the locks that drop out, and why")
	s.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// The numbers of locks to show: if no lock remains, and with the commands that prove the choice.
const (
	closest = 5
	proved  = 3
)

// writeChoices writes the remaining locks, and the commands that prove the choice. If no lock
// remains, it writes the closest ones and the ways out.
func writeChoices(w io.Writer, choices []choose.Choice, q choose.Query, all bool) error {
	remain := 0
	for _, c := range choices {
		if c.Remains {
			remain++
		}
	}
	fmt.Fprintf(w, "%d of the %s that were measured remain.\n", remain,
		units.Count(len(choices), "lock"))
	if remain > 0 {
		writeRemaining(w, choices[:remain], all)
	}
	rest := choices[remain:]
	switch {
	case all:
		fmt.Fprintln(w, "\nWhat does not remain, and why:")
	case remain == 0:
		fmt.Fprintln(w, "\nWhat comes closest, which is not good enough (--all shows the others):")
		rest = rest[:min(closest, len(rest))]
	default:
		rest = nil
	}
	for _, c := range rest {
		fmt.Fprintf(w, "  %s%s: %s\n", c.Lock, library(c), strings.Join(c.Against, "; "))
	}
	if !all {
		writeUndecided(w, choices[remain:])
	}
	if remain > 0 {
		return nil
	}
	return writeWaysOut(w, q)
}

// writeUndecided names the locks without a known violation, with the faults that are still untried.
func writeUndecided(w io.Writer, choices []choose.Choice) {
	var reasons []string
	locks := map[string][]string{}
	for _, c := range choices {
		if why := strings.Join(c.Against, "; "); c.Undecided() {
			if locks[why] == nil {
				reasons = append(reasons, why)
			}
			locks[why] = append(locks[why], c.Lock+library(c))
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(w, "\nNot known, since something was not tried or told nothing:")
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "  %s: %s\n", strings.Join(locks[why], ", "), why)
	}
}

// writeWaysOut suggests other questions if no lock remains.
func writeWaysOut(w io.Writer, q choose.Query) error {
	ways, err := choose.WaysOut(q)
	if err != nil || len(ways) == 0 {
		return err
	}
	fmt.Fprintln(w, "\nWays out, with what remains then:")
	for _, way := range ways {
		left := "none"
		if c := way.Closest; c != nil {
			left += "; closest is " + c.Lock + library(*c) + ": " + strings.Join(c.Against, "; ")
		}
		if n := len(way.Locks); n > 0 {
			left = strings.Join(way.Locks[:min(closest, n)], ", ")
			if n > closest {
				left += fmt.Sprintf(" and %d more", n-closest)
			}
		}
		fmt.Fprintf(w, "  %s: %s\n    %s\n", way.What, left, way.Command)
	}
	return nil
}

func writeRemaining(w io.Writer, choices []choose.Choice, all bool) {
	fmt.Fprintln(w)
	t := progress.NewTable(w)
	fmt.Fprintln(t, "LOCK\tGIVES\tNEEDS\tCLEAN IN\tCOSTS*\tKEEPS ALL OUT UNDER\tBUT BROKEN BY")
	for _, c := range choices {
		cost, runs := "-", []string(nil)
		if c.Cost != nil {
			cost = units.Span(c.Cost.AcquireP50)
			if c.Cost.Commands > 0 { // only Redis servers report commands
				cost = fmt.Sprintf("%.1f commands, %s", c.Cost.Commands, cost)
			}
		}
		for _, p := range c.Proofs {
			if p.Runs > 0 {
				runs = append(runs, fmt.Sprintf("%d of %d of %s", p.Runs, p.Runs, p.Fault))
			}
		}
		fmt.Fprintf(t, "%s%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Lock, library(c), list(c.Declares),
			c.Needs, list(runs), cost, list(c.Outages), list(breaks(c)))
	}
	t.Flush()
	notes := progress.NewTable(w) // of one column
	writeNotes(notes, choices)
	notes.Flush()
	fmt.Fprintln(w, "\nProof:")
	for i, c := range choices {
		if i == proved && !all {
			fmt.Fprintf(w, "  (of %d more with --all)\n", len(choices)-i)
			break
		}
		for _, p := range c.Proofs {
			fmt.Fprintln(w, " ", p.Shown())
		}
	}
}

// writeNotes explains the table.
func writeNotes(w io.Writer, choices []choose.Choice) {
	fmt.Fprintln(w)
	for _, c := range choices {
		for _, remark := range c.Remarks {
			fmt.Fprintf(w, "%s%s: %s\n", c.Lock, library(c), remark)
		}
	}
	i := slices.IndexFunc(choices, func(c choose.Choice) bool { return c.Cost != nil })
	if i >= 0 {
		fmt.Fprintf(w, "* commands of all clients for each grant, and the median time from the call of "+
			"an acquire to its grant, with the wait: %s that compete for holds of %s, without a fault\n",
			units.Count(choices[i].Cost.Clients, "client"), units.Span(choices[i].Cost.Hold))
	}
	if slices.ContainsFunc(choices, func(c choose.Choice) bool {
		return slices.Contains(c.Declares, choose.Tells)
	}) {
		fmt.Fprintln(w, "Whether a holder is told in time was not counted here: the report of each run "+
			"has it (N).")
	}
	fmt.Fprintln(w, "Clean means under faults that were aimed; each is one scenario or several, most "+
		"libraries ran each once.")
}

func library(c choose.Choice) string {
	if c.Library == "" {
		return ""
	}
	words := strings.Fields(c.Library)
	return " (" + words[len(words)-1] + ")"
}

// breaks returns the other faults that break a lock, and the number of untried faults.
func breaks(c choose.Choice) []string {
	out := slices.Clone(c.Breaks)
	for _, u := range c.Unable {
		out = append(out, "not tried: "+u)
	}
	if len(c.Untried) > 0 {
		out = append(out, units.Count(len(c.Untried), "fault")+" not tried")
	}
	return out
}
