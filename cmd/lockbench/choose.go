package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

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
		Short: "Say which lock to use for your faults and demands",
		Long: `choose looks up the measurements of this project on real servers, which are built in. It
answers in words, and shows the six best locks that nothing broke under your faults, one of each
library: what they give and need, what they cost, and which other faults break them. A command
proves the first one.

A client can always crash, so crash is one of the faults, unless none is the only one. A lock that
can stay taken for ever is never among the six, nor is one with another defect of its own than S
without L. The others come in this order: the lock with more clean runs under your faults; then one
whose fencing tokens outlast a restart, one that ends with a session, and one with a lease; then the
lock of which more was judged. A lock that was not tried under a fault is named as not known, and so
is a property that could not be judged. If no lock remains, choose says what else to ask. A fault
here hits at the moment that hurts; at a random moment most do so seldom.`,
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
	s.BoolVar(&all, "all", false,
		"show all locks that remain, why the others do not, and what the columns say")
	s.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// widest is the width of an answer, in columns.
const widest = 100

// closest is the number of locks to name if no lock remains.
const closest = 3

// answer writes the result of a query. Its lines fit a terminal.
type answer struct {
	*progress.Table
	q       choose.Query
	all     bool
	remain  []choose.Choice
	dropped []choose.Choice
}

// writeChoices writes the answer in words, the best locks with a proof, and where to go on. If no
// lock remains, it writes the closest ones and other questions.
func writeChoices(w io.Writer, choices []choose.Choice, q choose.Query, all bool) error {
	a := answer{Table: progress.NewTable(w), q: q, all: all, dropped: choices}
	a.Most = widest
	for len(a.dropped) > 0 && a.dropped[0].Remains {
		a.dropped = a.dropped[1:]
	}
	a.remain = choices[:len(choices)-len(a.dropped)]
	a.say("%s", choose.Answer(q, choices))
	a.say("%s", choose.Tally(q, choices))
	best := choose.Best(choices)
	rows := best
	if all {
		rows = a.remain
	}
	a.table(rows)
	a.notes(rows)
	switch {
	case all:
		a.remaining("What does not remain, and why:", a.dropped)
	case len(best) == 0:
		a.remaining("The closest ones, not good enough:", choose.Closest(choices, closest))
	}
	if !all {
		a.undecided()
	}
	a.proofs(best)
	var err error
	if len(best) == 0 {
		err = a.waysOut()
	}
	if rest := len(choices) - len(rows); rest > 0 && !all {
		a.say("%s with --all: %s.", units.Count(rest, "other lock"), choose.TellRest(choices, rows))
	}
	columns := strings.Join(units.If(len(rows) > 0 && !all, "--all explains the columns. "), "")
	a.say("%sWhich lock for which job: %s", columns, choose.Page)
	return err
}

// say writes sentences, and folds them on their own.
func (a answer) say(format string, args ...any) {
	fmt.Fprintf(a, format+"\n", args...)
	a.Flush()
}

// table writes locks, one per line. With --all the last column goes on below itself.
func (a answer) table(rows []choose.Choice) {
	if len(rows) == 0 {
		return
	}
	cells := [][]string{strings.Split(strings.ToUpper(strings.Join(choose.Heads[:], "|")), "|")}
	for _, c := range rows {
		cells = append(cells, []string{c.Name, strings.Join(c.Gives, ", "), c.Costs()})
	}
	room := 0 // all that fits
	if !a.all {
		room = widest - width(cells)
	}
	fmt.Fprintln(a, "\n"+strings.Join(cells[0], "\t"))
	for i, c := range rows {
		fmt.Fprintf(a, "%s\t%s\n", strings.Join(cells[i+1], "\t"), c.Evidence(room))
	}
	a.Flush()
}

// width returns the width of the first three columns of a table, with the blanks after each.
func width(cells [][]string) (all int) {
	for column := range 3 {
		most := 0
		for _, row := range cells {
			most = max(most, utf8.RuneCountInString(row[column]))
		}
		all += most + 2
	}
	return all
}

// notes explains the table: with --all its columns, otherwise only what limits its locks.
func (a answer) notes(rows []choose.Choice) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(a)
	for _, c := range rows {
		for _, remark := range c.Remarks {
			fmt.Fprintf(a, "%s: %s\n", c.Name, remark)
		}
	}
	notes := [][2]string{{"fencing", choose.FencingNote}}
	if a.all {
		notes = append(notes, [2]string{choose.Notice, choose.NoticeNote})
		if note := choose.CostsNote(rows); note != "" {
			a.say("%s", note)
		}
		a.say("%s", choose.EvidenceNote)
	}
	if note := choose.UnjudgedNote(rows); note != "" {
		a.say("%s", note)
	}
	for _, n := range notes {
		if slices.ContainsFunc(rows, func(c choose.Choice) bool {
			return slices.Contains(c.Gives, n[0])
		}) {
			a.say("%s", n[1])
		}
	}
}

// remaining lists locks with the reason against each.
func (a answer) remaining(head string, locks []choose.Choice) {
	fmt.Fprintln(a, "\n"+head)
	for _, c := range locks {
		a.say("  %s: %s", c.Name, c.Why())
	}
}

// undecided names the locks without a known violation for which some fault is still untried.
func (a answer) undecided() {
	var names []string
	for _, c := range a.dropped {
		if c.Undecided() {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		a.say("%s", fitting("Not known (why: --all): ", names))
	}
}

// proofs writes the commands that prove the first lock to be clean under each fault of the query.
func (a answer) proofs(best []choose.Choice) {
	if len(best) == 0 {
		return
	}
	a.say("\nProof of %s:", best[0].Name)
	for _, p := range best[0].Shown() {
		if p.Runs == 0 { // its runs show the violation that the remark names
			continue
		}
		fmt.Fprintln(a, "  "+p.Lines())
	}
	a.Flush()
}

func (a answer) waysOut() error {
	ways, err := choose.WaysOut(a.q)
	if err != nil || len(ways) == 0 {
		return err
	}
	fmt.Fprintln(a, "\nWays out, with what remains then:")
	for _, way := range ways {
		a.say("  %s: %s", way.What, leftBy(way))
		fmt.Fprintln(a, "    "+way.Command)
	}
	return a.Flush()
}

// leftBy names the locks that remain on a way out, or the one that comes closest.
func leftBy(way choose.Way) string {
	n := len(way.Locks)
	switch {
	case n > 0:
		return listFirst(way.Locks, closest)
	case way.Closest != nil:
		return "none; closest is " + way.Closest.Name + ": " + strings.Join(way.Closest.Against, "; ")
	}
	return "none"
}

// fitting lists as many of the first names as fit on a line after a lead, at least one.
func fitting(lead string, names []string) (line string) {
	for n := closest; n > 0; n-- {
		if line = lead + listFirst(names, n); utf8.RuneCountInString(line) <= widest {
			break
		}
	}
	return line
}

// listFirst lists the first names, at most so many, and says how many more there are.
func listFirst(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}
