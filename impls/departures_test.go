package impls_test

import (
	"slices"

	"github.com/lockbench/lockbench/impls"
)

// departure is a documented defect: the locks that have it, the cases where it shows, and where it
// is written down.
type departure struct {
	locks  []string
	cases  []string
	defect string
	source string
}

func departs(lock, name string) *departure {
	for i, d := range departures {
		if slices.Contains(d.locks, lock) && slices.Contains(d.cases, name) {
			return &departures[i]
		}
	}
	return nil
}

// The locks that share a defect, and every case that needs a grant.
var (
	anyClientDeletes = []string{"setnx", "setnx-del-expired", "setnx-del-expired:nil-retry",
		"setnx-expire", "setpx-del"}
	timestamps = []string{"getset", "getset-java", "getset-redispy"}
	needGrant  = []string{
		"acquires when free", "refuses when held", "waits for a release", "releases",
		"leaves nothing behind", "is taken over after a crash",
		"is taken over after a crash between commands", "only the owner releases",
		"survives SCRIPT FLUSH", "re-enters as promised",
		"ends with its context before each command", "ends with its context while waiting",
		"holds on when the acquire's context ends",
		"a refused client releases nothing",
	}
)

// tellNothing are the locks whose holders learn neither that a lease is over nor, beforehand, until
// when it is good.
func tellNothing() (names []string) {
	for _, e := range impls.All() {
		if e.Lease && !e.Loss && !e.Validity {
			for i := range or(e.Variants, "") {
				names = append(names, caseName(e, i))
			}
		}
	}
	return names
}

// departures is the table of documented defects. A line number is one of the source document.
var departures = []departure{
	{
		[]string{"setnx"}, []string{"is taken over after a crash",
			"is taken over after a crash between commands"},
		"no lease: a client that crashes inside locks all others out for ever", "D003 line 3",
	},
	{
		[]string{"setnx-expire"}, []string{"is taken over after a crash between commands"},
		"a crash between SETNX and EXPIRE leaves a lock without an end", "D003 line 6, D004 line 36",
	},
	{anyClientDeletes, []string{"only the owner releases"}, "DEL by any client",
		"D003 lines 11–12, D004 line 62"},
	{timestamps, []string{"only the owner releases"},
		"a release looks only at the time, and a successor's is good", "D000 line 51, D002 line 156"},
	{
		[]string{"token-lua:constant", "setpx-getdel:constant"}, []string{"only the owner releases"},
		"a constant is no owner value", "D004 lines 26, 49",
	},
	{
		[]string{"setnx-del-expired"}, []string{"key vanishes before GET and is taken"},
		"a GET that finds nothing is read as an expired lease", "D000 line 35, which does not say",
	},
	{
		[]string{"getset-java"}, []string{"key vanishes before GET"},
		"Long.valueOf(null) throws, and tryLock says false though the lock is free",
		"D000 lines 112, 160",
	},
	{
		[]string{"getset-java"}, []string{"key vanishes before GETSET"},
		"Long.valueOf(null) throws after GETSET has set the key", "D000 lines 143–144",
	},
	{
		[]string{"getset-java"}, []string{"refuses when held", "re-enters as promised"},
		"Lock_Timeout of 3 is added to milliseconds: the lease is over at the next poll",
		"D000 lines 83, 136",
	},
	{
		[]string{"getset-java"}, []string{"a refused client releases nothing"},
		"main() releases in finally, also what it never had", "D000 line 75",
	},
	{[]string{"setnx-expire-lua-as-posted"}, needGrant,
		`"1".equals(1L) is false in Java: taken, and never granted`, "D004 line 54"},
	{
		[]string{"setpx-getdel-as-posted"}, []string{
			"acquires when free", "waits for a release", "releases", "leaves nothing behind",
			"survives SCRIPT FLUSH",
			"holds on when the acquire's context ends",
		},
		"the stored and the compared constant are never equal: never released", "D004 lines 26, 68",
	},
	{tellNothing(), []string{"tells its holder of a loss"},
		"the holder is not told that the lease is over or the lock is lost",
		"D003 line 11; D001 lines 683–692"},
	{
		[]string{"redisson-fenced"}, []string{"leaves nothing behind"},
		"the token counter stays, or tokens would not grow", "RedissonFencedLock's script",
	},
	{
		[]string{"none", "local"}, []string{"refuses when held", "refuses a key of another type"},
		"a control: it keeps nothing in Redis", "docs/locks.md, The controls",
	},
	{[]string{"none"}, []string{"re-enters as promised"}, "a control: no lock at all",
		"docs/locks.md, The controls"},
	{[]string{"none", "local"}, []string{"ends with its context while waiting"},
		"a control: no client waits", "docs/locks.md, The controls"},
}
