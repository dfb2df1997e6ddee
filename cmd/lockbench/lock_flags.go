package main

import (
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/spf13/pflag"
)

// lockFlags are the settings of a lock and its clients that run and explore have in common.
func lockFlags(s *pflag.FlagSet, w *harness.RunOptions) {
	s.IntVar(&w.Keys, "keys", 0, "locks that they contend for (default 1)")
	s.IntVar(&w.Masters, "masters", 0, "independent masters, for redlock (default 5)")
	s.DurationVar(&w.Poll, "poll", 0,
		"pause between attempts (default the document's, scaled by the lease)")
	s.DurationVar(&w.AcquireTimeout, "acquire-timeout", 0, "how long one acquire waits (default 5s)")
	s.DurationVar(&w.Hold, "hold", 0,
		"time inside (default three polls, at least 80ms, at most a third of the lease)")
	s.DurationVar(&w.ClientTimeout, "client-timeout", 0,
		"dial, read and write time-out of the Redis client (default 250ms)")
	s.IntVar(&w.ClientRetries, "client-retries", 0,
		"how often the Redis client itself resends; its own default is 3")
	s.IntVar(&w.WaitReplicas, "wait-replicas", 0,
		"replicas that must confirm a grant (WAIT), or it is given back")
}
