package study

// The locks whose lease is renewed, by what their clients do.
var (
	renewed = []string{"redisson watchdog", "redisson-spin", "redisson-multi"}
	redlock = []string{"redlock per call", "redlock per attempt"}
)

// decidedWhys say why the simulator decides a cell in another way than it was measured. missing: it
// was measured, and is not found in the simulator. They are written by people, once a difference
// has been understood, and tried in order.
var exhaustiveExplanations = []explanation{
	{rows: []string{"getset-java"}, letters: "SLO", missing: true,
		words: "Its lease of 4 ms is fixed and cannot have the pace of the spaces: clients wait for " +
			"25 leases between two attempts, and everything that happens within a millisecond " +
			"happens in one step. What this leaves is gone through and has no violation. On Redis " +
			"a lease of 4 ms ends by itself all the time. The search by seeds finds it, too: the " +
			"corpus has a counterexample."},
	{rows: []string{"getset-java"}, letters: "R",
		words: "On Redis a leftover of 4 ms is over before another client asks; in virtual time the " +
			"next client asks at once."},
	{rows: []string{"getset-redispy"}, letters: "SLO", missing: true,
		words: "Without a fault this needs a waiting client that is slow and, later, another one " +
			"that comes in time: two messages must be late, and the spaces have one. With " +
			"--expiries 2 the search finds it. It was found without a fault on Redis and " +
			"therefore stands in the whole row there."},
	{rows: []string{"getset", "getset-redispy"}, letters: "R",
		words: "A client whose clock is ahead takes its own lease for ended and does not delete the " +
			"key, or a loser's GETSET has put a later time there. The lock stays taken although " +
			"no client is inside, as the expected table says of R."},
	{rows: []string{"setnx-del-expired nil-retry"}, columns: []string{"partition"}, letters: "SLO",
		words: "The lease of a leftover ends, and two clients that see it delete one after the " +
			"other, as after a crash. On Redis it happens in some runs."},
	{rows: []string{"setnx-del-expired nil-retry"}, letters: "SLO",
		words: "When the server answers again, the lease has ended, and two clients that see the " +
			"same old lease delete one after the other. On Redis the scenarios let the holder " +
			"release first."},
	{rows: []string{"setnx-del-expired nil-retry"}, columns: []string{"reply-loss"}, letters: "SLO",
		missing: true,
		words: "Two other clients must see the lease of what was left behind, and each of them must " +
			"wait between its commands. That takes three clients and two preemptions, and the " +
			"space with one was not finished. With --clients 3 --preemptions 2 --tries 4 the " +
			"search finds it."},
	{rows: []string{"setnx-expire"}, columns: []string{"request-loss"}, letters: "D",
		words: "Here the EXPIRE is lost, so that the key never ends. On Redis the scenarios lose the " +
			"first command of an acquire, or a release; partition:expire is aimed at this."},
	{rows: []string{"setnx", "setnx-expire"}, columns: []string{"late"}, letters: "D", missing: true,
		words: "The message is held back for 1.3 leases, and what is left of a client's attempts " +
			"then is shorter than the time after which a refusal is called a deadlock."},
	{rows: []string{"setpx-getdel"}, letters: "SLO", missing: true,
		words: "Another client must be granted the lock between GET and DEL: time must pass while " +
			"DEL is on its way. In a space with a fault only the fault makes messages late."},
	{rows: []string{"redisson fixed lease", "redisson watchdog", "redisson-spin", "redisson-multi",
		"redisson-fenced fixed lease"}, columns: []string{"late"}, letters: "LO", missing: true,
		words: "The late unlock must find its own client inside again (T12). It is held back for 1.3 " +
			"leases and work takes a third of one, so that in these spaces the next hold is over " +
			"by then. The expected table notes that this needs time to think between two rounds."},
	{rows: renewed, columns: []string{"restart-delayed"}, letters: "S", missing: true,
		words: "A client whose connection is refused gives up its round at once, and has used its " +
			"rounds up when Redis is back."},
	{rows: []string{"redisson-multi"}, columns: []string{"partition", "busy", "node-pause"},
		letters: "S", missing: true,
		words: "Its clients work for a third of a lease here, because a workload with several locks " +
			"has no long work: no lease ends under them."},
	{rows: renewed, columns: []string{"request-loss"}, letters: "S",
		words: "Here renewals are lost, as in a partition. On Redis the scenarios lose a command of " +
			"an acquire or of a release."},
	{rows: []string{"redisson-multi"}, columns: []string{"reply-loss"}, letters: "R",
		words: "In some orders a client has one connection open, and its undo waits for a greeting, " +
			"as that of the other Redisson locks does. On Redis it mostly has a second one."},
	{rows: []string{"redisson-fenced fixed lease"}, columns: []string{"restart-delayed"}, letters: "F",
		missing: true,
		words: "A client whose connection is refused gives up its round at once, and has used its " +
			"rounds up when Redis is back without the counter."},
	{rows: redlock, columns: []string{"restart", "failover"}, letters: "SL", missing: true,
		words: "The holder must have a bare majority: another client's vote must come between its " +
			"own votes (T10). The part of the spaces with a preemption that was gone through has " +
			"none of it. The aimed scenario finds it in the simulator, too, each time."},
	{rows: redlock, columns: []string{"late"}, letters: "SL", missing: true,
		words: "The undo of a failed attempt must reach one master when a further attempt has that " +
			"master's vote (T11). That takes preemptions, and the spaces with one were not gone " +
			"through to the end."},
	{rows: redlock, columns: []string{"busy", "node-pause"}, letters: "R", missing: true,
		words: "Both clients wait in one call for the whole time, and a refusal counts as a leftover " +
			"only while no other client is acquiring. On Redis the scenarios let them ask again " +
			"and again in short calls."},
}
