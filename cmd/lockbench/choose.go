package main

import (
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
	s.BoolVar(&all, "all", false, "show all locks that remain, and why the others do not")
	s.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
