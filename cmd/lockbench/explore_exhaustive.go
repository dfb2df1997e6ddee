package main

import (
	"cmp"
	"fmt"

	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/spf13/pflag"
)

// exhaustiveFlags are the flags of explore for an exhaustive search.
type exhaustiveFlags struct {
	exhaustive bool
	bounds     explore.Bounds
	plain      bool
	sleepless  bool
}

func (f *exhaustiveFlags) register(s *pflag.FlagSet) {
	d := explore.DefaultBounds
	s.BoolVar(&f.exhaustive, "exhaustive", false,
		"go through all orders of commands, replies and wake-ups within bounds")
	s.IntVar(&f.bounds.Preemptions, "preemptions", d.Preemptions,
		"exhaustive: how often a client that could go on must wait for another")
	s.IntVar(&f.bounds.Expiries, "expiries", -1,
		"exhaustive: how often time passes while a message is under way (default 1, or 0 with a fault)")
	s.IntVar(&f.bounds.Faults, "faults", -1,
		"exhaustive: 1: the fault of --nemesis is injected once, at any place (default 1 with a fault)")
	s.Lookup("expiries").DefValue, s.Lookup("faults").DefValue = "0", "0" // the help must not show -1
	s.IntVar(&f.bounds.Rounds, "rounds", d.Rounds, "exhaustive: cycles of each client")
	s.IntVar(&f.bounds.Tries, "tries", d.Tries, "exhaustive: attempts of one acquire, a lease apart")
	s.BoolVar(&f.plain, "no-hashing", false,
		"exhaustive: go also through the runs from a state that was reached before")
	s.BoolVar(&f.sleepless, "no-sleep-sets", false,
		"exhaustive: go also through orders that differ only in steps that do not matter to each other")
}

// check returns an error for bounds that make no sense.
func (f *exhaustiveFlags) check(set *pflag.FlagSet) error {
	b := f.bounds
	for _, name := range []string{"preemptions", "expiries", "faults", "rounds", "tries",
		"no-hashing", "no-sleep-sets"} {
		if set.Changed(name) && !f.exhaustive {
			return fmt.Errorf("--%s is for --exhaustive", name)
		}
	}
	for _, name := range []string{"seed", "seeds", "schedule", "moments"} {
		if set.Changed(name) && f.exhaustive {
			return fmt.Errorf("--%s is for a search at random; --exhaustive takes every order", name)
		}
	}
	switch {
	case b.Preemptions < 0 || set.Changed("expiries") && b.Expiries < 0 || b.Rounds < 1 || b.Tries < 1:
		return fmt.Errorf("--preemptions and --expiries are 0 or more, --rounds and --tries 1 or more")
	case set.Changed("faults") && (b.Faults < 0 || b.Faults > 1):
		return fmt.Errorf("--faults is %d; 0 and 1 are possible", b.Faults)
	}
	return nil
}

// search returns an exhaustive search for the same violations. Its default bounds depend on the
// fault.
func (f *exhaustiveFlags) search(s explore.Search) explore.Exhaustive {
	b := f.bounds
	b.Clients = cmp.Or(s.Options.Clients, explore.DefaultBounds.Clients)
	if b.Faults < 0 {
		if b.Faults = 0; s.Options.Nemesis != "none" {
			b.Faults = 1
		}
	}
	if b.Expiries < 0 {
		b.Expiries = explore.DefaultBounds.Expiries * (1 - b.Faults)
	}
	return explore.Exhaustive{Options: s.Options, Properties: s.Properties, Bounds: b, Plain: f.plain,
		Sleepless: f.sleepless,
		Budget:    s.Budget, Jobs: s.Jobs, KeepGoing: s.KeepGoing, Screen: s.Screen}
}
