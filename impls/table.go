package impls

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Topology is the arrangement of Redis servers that a lock is made for.
type Topology string

// The topologies that locks ask for. A lock made for one server also runs on a master with
// replicas.
const (
	OneServer   Topology = "single"      // one Redis, with or without replicas behind it
	Independent Topology = "independent" // N Redis masters that know nothing of each other
)

// An Entry is a row of the table of locks: name, origin, declarations and constructor of one lock.
type Entry struct {
	Name     string
	Line     string // a description of one line
	Document string // the source document and section: "D000 §3, D002"
	Topology Topology

	TTL time.Duration // the document's own lease, if it has one
	// the pause between attempts: the document's own, or 100 ms where it shows a single attempt
	Poll time.Duration
	// Fixed locks always use the document's own times.
	Fixed bool

	Lease, Validity, Loss, Fencing, Reentrant bool // declarations, as in history.Declares
	// it lets all clients in and checks their writes: history.Declares.Optimistic
	Optimistic bool
	// it begins a transaction for each hold, and writes in it: history.Declares.Transaction
	Transaction bool

	Variants []string // what Options.Variant may be; the first is the default
	Watchdog bool     // it renews its lease by itself, unless Options.NoWatchdog
	Extends  bool     // it implements Extender
	Multi    bool     // it takes several keys at once
	Scripts  []Script // all that it sends, and what their replies mean
	// the Redis commands that it sends, in lower case: a fault can strike only at one of them
	Sends []string

	Traits []Trait // how it can be attacked, in all of its rows
	Rows   []Row   // the forms that the matrix runs; if empty, the default form once

	make func(Setup) (Lock, error)
}

// table is the closed list of locks, in the order of the documents' argument.
var table = []Entry{
	{
		Name: "setnx", Line: "SETNX and DEL, no lease",
		Document: "D003 §1", Topology: OneServer, Poll: usual,
		Sends: []string{"setnx", "del"},
		make:  newSetnx,
	},
	{
		Name:     "setnx-del-expired",
		Line:     "SETNX with a timestamp; a client that sees it expired deletes it and tries again",
		Document: "D000 §3, D002", Topology: OneServer, TTL: 3 * time.Second, Poll: usual,
		Lease: true, Variants: []string{"nil-expired", "nil-retry"},
		Traits: []Trait{Takeover},
		Rows:   []Row{{Traits: []Trait{SeesNil}}, {Name: "nil-retry", Variant: "nil-retry"}},
		Sends:  []string{"setnx", "get", "del"},
		make:   newSetnxDelExpired,
	},
	{
		Name: "setnx-expire", Line: "SETNX, then EXPIRE as a second command; DEL",
		Document: "D003 §2, D004 §1.2", Topology: OneServer, TTL: 10000 * time.Second, Poll: usual,
		Lease:  true,
		Traits: []Trait{Two},
		Sends:  []string{"setnx", "expire", "pexpire", "del"},
		make:   newSetnxExpire,
	},
	{
		Name: "setnx-expire-lua", Line: "SETNX and EXPIRE in one script, released by compare-and-delete",
		Document: "D004 §1.3, §2.3", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Lease: true, Scripts: []Script{setnxExpireTakes, setnxPexpireTakes, releaseFrees},
		Sends: []string{"eval"},
		make:  newSetnxExpireLua,
	},
	{
		Name:     "setnx-expire-lua-as-posted",
		Line:     "the same letter by letter: it takes the lock and says that it did not",
		Document: "D004 §1.3, §2.3", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Fixed: true,
		Lease: true, Scripts: []Script{postedTakes, postedFrees},
		Traits: []Trait{Posted},
		Sends:  []string{"eval"},
		make:   newSetnxExpireLuaPosted,
	},
	{
		Name:     "getset",
		Line:     "SETNX with a timestamp; a client that sees it expired takes over with GETSET",
		Document: "D000 §3, D002", Topology: OneServer, TTL: 3 * time.Second, Poll: usual,
		Lease:  true,
		Traits: []Trait{Look, Takeover},
		Sends:  []string{"setnx", "get", "getset", "del"},
		make:   newGetset,
	},
	{
		Name: "getset-java",
		Line: "getset letter by letter from Java: a lease of 4 ms, exceptions on nil, " +
			"release in finally",
		Document: "D000 §4", Topology: OneServer, TTL: javaLease, Poll: usual, Fixed: true,
		Lease:  true,
		Traits: []Trait{Look, Takeover, Finally},
		Sends:  []string{"setnx", "get", "getset", "del"},
		make:   newGetsetJava,
	},
	{
		Name: "getset-redispy",
		Line: "getset letter by letter from redis-py up to 2.9: float seconds, a release that " +
			"trusts the time",
		Document: "D002", Topology: OneServer, Poll: usual, Lease: true,
		Traits: []Trait{Look, Takeover, SeesNil},
		Sends:  []string{"setnx", "get", "getset", "del"},
		make:   newGetsetRedispy,
	},
	{
		Name: "setpx-del", Line: "SET NX PX, released by a bare DEL",
		Document: "D003 §3, D004 §1.1, §2.1", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Lease: true,
		Sends: []string{"set", "del"},
		make:  newSetpxDel,
	},
	{
		Name:     "setpx-getdel",
		Line:     "SET NX PX with an owner value, released by GET, a comparison and DEL",
		Document: "D003 §4, D004 §1.1, §2.2", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Lease: true, Variants: ownerVariants,
		Traits: []Trait{Look},
		Sends:  []string{"set", "get", "del"},
		make:   newSetpxGetdel,
	},
	{
		Name:     "setpx-getdel-as-posted",
		Line:     "the same with the posted constants, which never compare equal: it is never released",
		Document: "D004 §1.1, §2.2", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Fixed:  true,
		Lease:  true,
		Traits: []Trait{Posted},
		Sends:  []string{"set", "get"},
		make:   newSetpxGetdelPosted,
	},
	{
		Name:     "token-lua",
		Line:     "SET NX PX with a fresh owner value, released by compare-and-delete in Lua",
		Document: "D003 §5, D004 §1.1, §2.3", Topology: OneServer, TTL: 20 * time.Second, Poll: usual,
		Lease: true, Variants: ownerVariants, Scripts: []Script{releaseFrees},
		Rows:  []Row{{}, {Name: "constant", Variant: "constant", Traits: []Trait{Reused}}},
		Sends: []string{"set", "eval"},
		make:  newTokenLua,
	},
	{
		Name: "redisson",
		Line: "Redisson's RLock: re-entrant hash, Lua scripts, " +
			"woken by messages, renewed by a watchdog",
		Document: "D001", Topology: OneServer, TTL: 30 * time.Second, Poll: usual,
		Lease: true, Reentrant: true, Watchdog: true, Scripts: []Script{redissonTakes, redissonProlongs,
			redissonFrees},
		Traits: []Trait{Reused},
		Rows:   []Row{{Name: "fixed lease", NoWatchdog: true}, {Name: "watchdog"}},
		Sends:  []string{"eval"},
		make:   newRedisson,
	},
	{
		Name:     "redisson-spin",
		Line:     "redisson without messages: it asks again after 1 ms, then 2, up to 128",
		Document: "D001 §2.2", Topology: OneServer, TTL: 30 * time.Second, Poll: usual,
		Lease: true, Reentrant: true, Watchdog: true, Scripts: []Script{redissonTakes, redissonProlongs,
			spinFrees},
		Traits: []Trait{Reused},
		Sends:  []string{"eval"},
		make:   newRedissonSpin,
	},
	{
		Name: "redisson-multi", Line: "several redisson locks as one: all or none",
		Document: "D001 §2.2", Topology: OneServer, TTL: 30 * time.Second, Poll: usual,
		Lease: true, Reentrant: true, Watchdog: true, Multi: true, Scripts: []Script{redissonTakes,
			redissonProlongs, redissonFrees},
		Traits: []Trait{Reused},
		Sends:  []string{"eval", "pexpire"},
		make:   newRedissonMulti,
	},
	{
		Name: "redisson-fenced", Line: "redisson with a fencing token drawn in the same script",
		Document: "Redisson's RFencedLock", Topology: OneServer, TTL: 30 * time.Second, Poll: usual,
		Lease: true, Fencing: true, Reentrant: true, Watchdog: true, Scripts: []Script{
			fencedTakes, redissonProlongs, redissonFrees},
		Traits: []Trait{Reused},
		Rows:   []Row{{Name: "fixed lease", NoWatchdog: true}},
		Sends:  []string{"eval"},
		make:   newRedissonFenced,
	},
	{
		Name:     "redlock",
		Line:     "SET NX PX on N independent masters, granted by a majority within the lease",
		Document: "D003 §6, Redis' own description", Topology: Independent, TTL: 10 * time.Second,
		Poll:  200 * time.Millisecond,
		Lease: true, Validity: true, Extends: true, Variants: []string{perAttempt, perCall},
		Scripts: []Script{extendProlongs, releaseFrees},
		Rows:    []Row{{Name: "per call", Variant: perCall}, {Name: "per attempt"}},
		Sends:   []string{"set", "eval"},
		make:    newRedlock,
	},
	{
		Name: "local", Line: "control: a mutex in the client's own process; must fail between processes",
		Document: control, Topology: OneServer, Poll: usual, make: newLocal,
	},
	{
		Name: "none", Line: "control: no lock at all; must be violated at once",
		Document: control, Topology: OneServer, Poll: usual, make: newNone,
	},
}

// control is the document of a lock that is there to be compared with.
const control = "control"

// Control reports whether the lock is there to be compared with, and keeps nothing in Redis.
func (e Entry) Control() bool { return e.Document == control }

// usual is the pause between attempts of D000 line 107 and D002 line 86, and ours where a
// document shows a single attempt.
const usual = 100 * time.Millisecond

// All returns the table of locks. The caller may keep and change the slice.
func All() []Entry { return append([]Entry(nil), table...) }

// Find returns the row of a lock. The error names the lock that was probably meant.
func Find(name string) (Entry, error) {
	for i := range table {
		if table[i].Name == name {
			return table[i], nil
		}
	}
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
		for _, r := range table[i].Rows {
			if r.Name != "" && table[i].Name+" "+r.Name == name {
				return Entry{}, fmt.Errorf("%q is a row of the matrix: --impl %s%s", name, names[i], r.flags())
			}
		}
	}
	return Entry{}, fmt.Errorf("unknown lock %q%s; `"+advice.ListImpls.String()+"` shows all", name,
		units.DidYouMean(name, names))
}
