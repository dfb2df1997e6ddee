package explain

import (
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Undone says in a sentence which step of a scenario was not done.
func Undone(u *history.Undone) string {
	if u.Idle {
		return Say("the scenario did nothing to lock or clients: no fault began and no client was met "+
			"at a breakpoint (step %d of %d is: %s)", u.Step, u.Of, u.What)
	}
	return Say("the run ended before step %d of %d of the scenario was done: %s", u.Step, u.Of, u.What)
}

// DoubtfulDeletion says why O is unknown if a foreign deletion explains another violation.
func DoubtfulDeletion() string {
	return Say("another violation is put down to a client that deleted a key which was not its own, " +
		"and the commands do not prove that")
}

// NothingTried says that no client was granted the lock, and which answer most of these calls got
// instead.
func NothingTried(calls []record.Call) string {
	said, most := map[string]int{}, ""
	for i := range calls {
		if k := &calls[i]; k.Err != "" && !k.Denied() {
			if said[k.Err]++; said[k.Err] > said[most] {
				most = k.Err
			}
		}
	}
	text := Say("no client acquired the lock, so nothing was tried")
	if most == "" {
		return text
	}
	return text + Say("; %d of %s ended with: ", said[most], plural(len(calls), "call")) + most
}

// Missing says in a sentence which requirements of its plan a history does not meet, or "". It
// starts with a fault that missed.
func Missing(e verdict.Evidence, r history.Requires) string {
	var out []string
	if e.Hits < r.Hits {
		out = append(out, Say("the fault missed: %s of %d fell into a hold with another client waiting",
			only(e.Hits, "strike", "strikes"), r.Hits)+missed(e.Missed))
	}
	if len(e.Untested) > 0 {
		out = append(out, Say("no other client tried after the fault: none was answered by the new "+
			"master before the holder left"))
	}
	if e.Contended < r.Contended {
		out = append(out, Say("%s contended, and %d are needed",
			only(e.Contended, "acquisition was", "acquisitions were"), r.Contended))
	}
	if e.Handovers < r.Handovers {
		out = append(out, Say("%s to another client than the one before, and %d are needed",
			only(e.Handovers, "grant went", "grants went"), r.Handovers))
	}
	if r.Hits < 0 {
		out = append(out, Say("the plan asks for %d hits, and it takes 0 or more", r.Hits))
	}
	if r.Failover && e.AfterFailover == 0 {
		out = append(out, Say("the new master granted nothing after the failover"))
	}
	return strings.Join(out, "; ")
}

// missed names the aimed faults that fell elsewhere.
func missed(faults []string) string {
	if len(faults) == 0 {
		return ""
	}
	return Say(" (missed: ") + strings.Join(faults, ", ") + ")"
}

// only returns "no strike", "only 1 strike", "only 2 strikes".
func only(n int, one, many string) string {
	switch n {
	case 0:
		return Say("no " + one)
	case 1:
		return Say("only 1 " + one)
	}
	return Say("only %d "+many, n)
}

// UntracedKey says that no command names the key of a granted lock, and how to fix that.
func UntracedKey(key string) string {
	return Say("no command of the clients names the key %q, so that it is not known what the servers "+
		"did with the lock; say how the lock names its key (Key of locktest.Lock, key of adapter.yaml)",
		key)
}
