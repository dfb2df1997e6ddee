package repair

import (
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/advice"
)

// The repairs.
var (
	owner = &Repair{"owner check",
		"Delete the key only if it still has the unique value that you wrote there, in one script",
		[]string{release}}
	unrepeated = &Repair{"a deletion that is not sent again",
		"Let the client library send no plain DEL again. Delete the key only if it still has the " +
			"unique value that you wrote there, in one script, which may be sent again",
		[]string{release}}
	lease = &Repair{"atomic lease",
		"Let the server end the lease: take the key with its lease in one command, and release only " +
			"your own value",
		[]string{"SET key <new unique value> NX PX <milliseconds>", release}}
	fresh = &Repair{"new value for each try",
		"Draw a new unique value before each try, and delete the key only if it still has it, in one " +
			"script",
		[]string{"SET key <new unique value> NX PX <milliseconds>", release}}
	validity = &Repair{"validity check",
		"Count the lease from before the command is sent, and do not enter if it is over when the " +
			"reply comes, as redlock does", nil}
	fence = &Repair{"fencing token",
		"Have the resource refuse old holders: each grant draws a larger token, the resource learns it " +
			"before the holder reads, and each write carries it",
		[]string{`redis.call("incr", KEYS[2])  -- in the script of the grant; a failover may set it back`,
			"UPDATE account SET token = <token> WHERE id = <id> AND token < <token>;  -- first",
			"UPDATE account SET balance = <n> WHERE id = <id> AND token = <token>;  -- each write",
			"-- no row: a later holder was here, or this was sent before: read the token"}}
	// of a lock whose servers count apart, or do not run Redis
	drawn = &Repair{fence.Name, fence.Do, append([]string{
		"SELECT nextval('token');  -- one sequence for all; give up if the lease is over then"},
		fence.Code[1:]...)}
	together = &Repair{"one transaction",
		"Take the row of the lock and write in one transaction: when its session ends, the database " +
			"undoes both",
		[]string{"INSERT INTO locks (name) VALUES (<name>);  -- once, unique; without it no lock",
			"BEGIN;",
			"SELECT 1 FROM locks WHERE name = <name> FOR UPDATE;  -- waits for the holder",
			"UPDATE account SET balance = <n> WHERE id = <id>;",
			"COMMIT;  -- the write and the release"}}
	later = &Repair{"a newer version",
		"Use a newer version of the library: redis-py 5.0.4 and 8.1.0 delete only " +
			"the owner's own value", nil}
	disk = &Repair{"a disk",
		"Have Redis write to its disk, so that a restart does not forget the grant",
		[]string{"appendonly yes", "appendfsync always"}}
	// of the same disk, for the counter of the tokens
	counter = &Repair{"a counter on disk",
		"Have Redis write to its disk, so that a restart does not forget the counter of the tokens",
		disk.Code}
	confirmed = &Repair{"a confirmed grant",
		"Ask with WAIT, on the connection of the grant, whether a replica has it, and give it back if " +
			"none has; keep two replicas, since a failover leaves one less",
		[]string{"WAIT 1 <milliseconds>  -- 0: delete your own value, and try again"}}
	atOnce = &Repair{"one command",
		"Look at the key and take it in one command: SET with NX writes only a free key",
		[]string{"SET key <new unique value> NX PX <milliseconds>  -- nil: it is taken"}}
	whole = &Repair{"the lease that is promised",
		"Promise what the server gives: ask for the lease in milliseconds, and count it from before " +
			"the command is sent",
		[]string{"SET key <new unique value> NX PX <the milliseconds that are promised>"}}
	answered = &Repair{"an answered grant",
		"Enter only on the reply that grants: an error or no reply is no grant", nil}
	renewal = &Repair{"a whole renewal",
		"Renew with the whole lease, each third of it; try again at once when a renewal fails, and " +
			"tell the holder when the lease ends",
		[]string{`return redis.call("get", KEYS[1]) == ARGV[1] and`,
			`  redis.call("pexpire", KEYS[1], <lease>) or 0`}}
	compared = &Repair{"an owner check in the renewal",
		"Give the key a new lease only while it has the client's own value, in one step",
		[]string{`return redis.call("get", KEYS[1]) == ARGV[1] and`,
			`  redis.call("pexpire", KEYS[1], <lease>) or 0`}}
	quit = &Repair{"renewals that end",
		"Stop renewing before the release is sent, whatever becomes of it: then the lease ends a lock " +
			"whose release was lost", nil}
	resent = &Repair{"a script that is sent again",
		"Send a script's text when its digest is answered NOSCRIPT: a restart, a failover and SCRIPT " +
			"FLUSH forget it",
		[]string{"EVALSHA <digest> 1 key ...  -- NOSCRIPT: EVAL <text> 1 key ..., the same arguments"}}
	timed = &Repair{"a call that ends",
		"Give each command a time-out and each wait a bound, also the wait for a connection, and give " +
			"the connection back after an error", nil}
	leave = &Repair{"leaving when told",
		"Leave as soon as the lock tells that the hold is over: stop the work, and write nothing more",
		nil}
	undo = &Repair{"a refusal that gives back",
		"Before a call says that it was refused or failed, delete what it may have written",
		[]string{release}}
	repeated = &Repair{"a release that is sent again",
		"Send the release again if no reply comes: with a unique value that is compared in one step, " +
			"it deletes no other client's key", []string{release}}
	reply = &Repair{"the reply itself",
		"Compare the script's reply with the number that the script returns, not with a text", nil}
	nested = &Repair{"a new value for each grant",
		"Count re-entries in the client, and take the key with a new unique value for each outermost " +
			"acquire: then a leftover is nobody's, and its lease ends it",
		[]string{"SET key <new unique value> NX PX <milliseconds>", release}}
	written = &Repair{"the value that was written",
		"Compare the key with the value that the client itself wrote when it took the lock, a new " +
			"unique one each time", nil}
)

// release frees a key that still has its owner's value.
const release = `return redis.call("get", KEYS[1]) == ARGV[1] and redis.call("del", KEYS[1]) or 0`

// The repaired locks.
var (
	tokenLua = Lock{Impl: "token-lua"}
	// with the settings of go-redis
	resending = Lock{Impl: "token-lua", Retries: 3, Timeout: "3s"}
	fenced    = Lock{Impl: "redisson-fenced", NoWatchdog: true, Workload: "fenced"}
	watched   = Lock{Impl: "redisson-fenced", Workload: "fenced"}
	joined    = Lock{Workload: "transaction"}
	waiting   = Lock{WaitReplicas: 1}
	saved     = Lock{RedisConfig: []string{"appendonly=yes", "appendfsync=always"}}
)

// The letters that repaired locks keep.
var (
	exclusion = []string{verdict.LeaseExclusion, verdict.OwnerRelease}
	alone     = []string{verdict.MutualExclusion, verdict.LeaseExclusion}
	progress  = []string{verdict.LeaseExclusion, verdict.OwnerRelease, verdict.Deadlock}
	entry     = []string{verdict.MutualExclusion, verdict.LeaseExclusion, verdict.Deadlock}
	promises  = []string{verdict.LeaseExclusion, verdict.Validity}
	orphans   = []string{verdict.OwnerRelease, verdict.Orphan, verdict.Deadlock}
	left      = []string{verdict.Orphan, verdict.Deadlock}
	timely    = []string{verdict.MutualExclusion, verdict.Deadlock}
	intact    = []string{verdict.Deadlock, verdict.LostUpdate}
	harmless  = []string{verdict.Deadlock, verdict.Fencing, verdict.LostUpdate}
)

// forgetful are faults that can take the counter of the tokens from a server.
var forgetful = []string{"restart", "restart-delayed", "disk-loss", "failover", "failover-sentinel",
	"failover-cluster", "flush", "random"}

// unhelped are faults against which a server's own disk does not help.
var unhelped = []string{"disk-loss", "failover", "failover-sentinel", "failover-cluster",
	"majority-loss", "flush", "random"}

// rows has the row of the smallest change first. A lock whose name is a phrase is in the test of
// the rows: no lock that can be run by its name has the defect.
var rows = []Row{
	{Kind: verdict.ReleasedByNonOwner, Repair: owner, With: tokenLua, Keeps: exclusion, General: true,
		Locks:  []string{"setpx-del", "setnx-expire"},
		Faults: []string{"pause", "overrun", "busy", "node-pause"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: owner, With: tokenLua, Keeps: exclusion,
		Locks: []string{"setpx-del"}, Faults: []string{"late:reply"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: owner, With: tokenLua, Keeps: exclusion,
		Locks: []string{"setnx-expire"}, Faults: []string{"late:expire"}, Unaimed: true},
	{Kind: verdict.ReleasedByNonOwner, Repair: owner, With: tokenLua, Keeps: exclusion,
		Locks: []string{"setpx-getdel"}, Faults: []string{"late:check"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: owner, With: tokenLua, Keeps: exclusion,
		Locks:   []string{"setpx-getdel"},
		Faults:  []string{"pause:between", "busy:between", "node-pause:between"},
		Unaimed: true},
	{Kind: verdict.ReleasedByNonOwner, Repair: fresh, With: tokenLua, Keeps: exclusion,
		General: true, Alike: true, Locks: []string{"token-lua constant"},
		Faults: []string{"pause", "overrun", "busy", "node-pause", "late:reply"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: lease, With: tokenLua, Keeps: exclusion,
		Others: NoOther, General: true, Locks: []string{"getset", "getset-redispy",
			"setnx-del-expired", "setnx-del-expired nil-retry"},
		Faults: []string{"pause", "overrun", "late:reply"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: lease, With: tokenLua, Keeps: exclusion,
		Others: NoOther, Locks: []string{"getset", "getset-redispy"}, Faults: []string{"late:check"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: lease, With: tokenLua, Keeps: exclusion,
		Others: NoOther, Locks: []string{"getset", "getset-redispy"}, Unaimed: true,
		Faults: []string{"pause:between", "busy:between", "node-pause:between"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: lease, With: tokenLua, Keeps: exclusion,
		Others: NoOther, Locks: []string{"setnx-del-expired", "setnx-del-expired nil-retry"},
		Faults: []string{"clock-client:+", "clock-client:-"}},
	{Kind: verdict.ReleasedByNonOwner, Repair: lease, With: tokenLua, Keeps: exclusion,
		Others: NoOther, Locks: []string{"setnx-del-expired", "setnx-del-expired nil-retry"},
		Faults: []string{"crash:takeover"}, Unaimed: true},

	{Kind: verdict.ReleasedByNonOwner, Repair: unrepeated, With: resending, Keeps: exclusion,
		Resends: true, Locks: []string{"setpx-del"}, Faults: []string{"partition"}},
	{Kind: verdict.LateMessage, Repair: unrepeated, With: resending, Keeps: exclusion,
		Resends: true, Locks: []string{"setpx-del"}, Faults: []string{"partition"}},

	{Kind: verdict.LateMessage, Repair: owner, With: tokenLua, Keeps: exclusion, General: true,
		Locks: []string{"setpx-del", "setnx-expire"}, Faults: []string{"late:release"}},
	{Kind: verdict.LateMessage, Repair: lease, With: tokenLua, Keeps: exclusion, Others: NoOther,
		Locks:  []string{"setnx-del-expired", "setnx-del-expired nil-retry"},
		Faults: []string{"late:release"}},
	{Kind: verdict.LateMessage, Repair: fresh, With: tokenLua, Keeps: exclusion,
		Locks: []string{"token-lua constant", "redisson fixed lease", "redisson watchdog",
			"redisson-spin", "redisson-multi", "redisson-fenced fixed lease"},
		Faults: []string{"late:again"}},
	{Kind: verdict.LateMessage, Repair: fresh, With: Lock{Impl: "redlock"}, Keeps: entry,
		Others: NoOther, Locks: []string{"redlock per call"}, Faults: []string{"late:vote"}},
	// the clock that a client reads stands while its machine is suspended
	{Kind: verdict.LateMessage, Repair: validity, With: Lock{Impl: "redlock"}, Keeps: timely,
		General: true, Except: []string{"suspend"},
		Locks: []string{"token-lua", "setnx-expire-lua", "setpx-getdel", "redisson fixed lease",
			"redisson watchdog", "redisson-spin", "redisson-fenced fixed lease"},
		Faults: []string{"late:reply"}},

	{Kind: verdict.Deadlock, Repair: lease, With: tokenLua, Keeps: progress, Others: Leaseless,
		Locks: []string{"setnx"}, Faults: []string{"crash", "partition", "reply-loss:acquire",
			"late:request", "failover:release", "request-loss:release", "message:drop",
			"busy:kill"}},
	{Kind: verdict.Deadlock, Repair: lease, With: tokenLua, Keeps: progress, Others: NoOther,
		Locks:  []string{"setnx-expire"},
		Faults: []string{"reply-loss:acquire", "late:request", "cancel:taking"}},
	{Kind: verdict.Deadlock, Repair: lease, With: tokenLua, Keeps: progress, Others: NoOther,
		General: true, Locks: []string{"setnx", "setnx-expire"},
		Faults: []string{"message:strand-acquire"}},
	{Kind: verdict.Deadlock, Repair: lease, With: tokenLua, Keeps: progress, Others: NoOther,
		Locks: []string{"setnx-expire"}, Faults: []string{"crash:expire", "partition:expire"},
		Unaimed: true},
	{Kind: verdict.Deadlock, Repair: reply, With: Lock{Impl: "setnx-expire-lua"}, Keeps: progress,
		Others: NoOther, General: true, Locks: []string{"setnx-expire-lua-as-posted"},
		Faults: []string{"pause", "partition", "overrun"}},
	{Kind: verdict.Deadlock, Repair: nested, With: tokenLua, Keeps: progress, Others: NoOther,
		General: true, Locks: []string{"redisson fixed lease", "redisson watchdog", "redisson-spin",
			"redisson-multi", "redisson-fenced fixed lease", "redisson-fenced"},
		Faults: []string{"partition", "request-loss:release", "failover:release", "memory-full"}},
	{Kind: verdict.Deadlock, Repair: nested, With: tokenLua, Keeps: progress, Others: NoOther,
		Locks: []string{"redisson fixed lease", "redisson watchdog", "redisson-spin",
			"redisson-fenced fixed lease", "redisson-fenced"},
		Faults: []string{"reply-loss:acquire", "late:request", "message:strand-acquire"}},
	{Kind: verdict.Orphan, Repair: nested, With: tokenLua, Keeps: left, Others: NoOther,
		Locks: []string{"redisson fixed lease", "redisson watchdog", "redisson-spin",
			"redisson-fenced fixed lease", "redisson-fenced"},
		Faults: []string{"message:duplicate-acquire"}},
	{Kind: verdict.RenewedOn, Repair: quit, With: tokenLua, Keeps: progress, General: true,
		Locks: []string{"a renewal that goes on"}, Faults: []string{"partition:reset"}},
	{Kind: verdict.RenewedByNonOwner, Repair: compared, With: Lock{Impl: "redisson"}, Keeps: exclusion,
		General: true, Locks: []string{"a renewal without owner check"}, Faults: []string{"pause"}},
	{Kind: verdict.ForgottenScript, Repair: resent, With: tokenLua, Keeps: progress, General: true,
		Locks: []string{"a script known by its digest"}, Faults: []string{"scripts-lost"}},
	{Kind: verdict.EndlessCall, Repair: timed, With: tokenLua, Keeps: progress, General: true,
		Locks: []string{"a connection that is kept"}, Faults: []string{"reply-loss:acquire"}},
	{Kind: verdict.KeptOwn, Repair: written, With: Lock{Impl: "setpx-getdel"}, Others: NoOther,
		Keeps: orphans, Locks: []string{"setpx-getdel-as-posted"}, Faults: []string{"none", "crash"}},

	{Kind: verdict.CheckThenSet, Repair: atOnce, With: tokenLua, Keeps: exclusion, General: true,
		Locks: []string{"GET, then SET"}, Faults: []string{"pause", "partition"}},
	{Kind: verdict.CheckThenSet, Repair: atOnce, With: tokenLua, Keeps: entry, General: true,
		Locks: []string{"GET, then SET"}, Faults: []string{"none", "crash"}},
	{Kind: verdict.PromisedTooLong, Repair: whole, With: Lock{Impl: "redlock"}, Keeps: promises,
		General: true, Except: []string{"suspend"},
		Locks:  []string{"a lease cut short", "a lease counted from its reply"},
		Faults: []string{"none", "crash", "pause"}},
	{Kind: verdict.OverWhenDelivered, Repair: validity, With: Lock{Impl: "redlock"}, Keeps: promises,
		General: true, Except: []string{"suspend"}, Locks: []string{"a grant that came too late"},
		Faults: []string{"crash"}},
	{Kind: verdict.NoServer, Repair: answered, With: tokenLua, Keeps: promises, General: true,
		Locks: []string{"an error taken for a grant"}, Faults: []string{"restart-delayed"}},
	{Kind: verdict.LostRenewal, Repair: renewal, With: Lock{Impl: "redisson"}, Keeps: exclusion,
		General: true, Locks: []string{"a renewal that cuts short"}, Faults: []string{"pause"}},
	{Kind: verdict.LostRenewal, Repair: renewal, With: Lock{Impl: "redisson"}, Keeps: entry,
		General: true, Locks: []string{"a renewal that gives up"},
		Faults: []string{"message:drop-renewal"}},
	{Kind: verdict.RefusedThoughGranted, Repair: undo, With: tokenLua, Keeps: orphans, General: true,
		Locks: []string{"a grant called a refusal"}, Faults: []string{"crash"}},
	{Kind: verdict.Orphan, Repair: undo, With: Lock{Impl: "redlock"}, Keeps: left, Others: NoOther,
		Locks:  []string{"token-lua", "setpx-del", "setpx-getdel", "setnx-expire-lua"},
		Faults: []string{"reply-loss:acquire"}},
	{Kind: verdict.Orphan, Repair: repeated, With: Lock{Retries: 3}, Keeps: orphans,
		Others: NoOther, General: true, Locks: []string{"token-lua", "setnx-expire-lua"},
		Faults: []string{"message:drop"},
		Limit:  "While a link is cut, what is sent again is lost, too: then the lease ends the lock."},
	{Kind: verdict.KeptOwn, Repair: written, With: tokenLua, Keeps: orphans, General: true,
		Locks: []string{"another value at release"}, Faults: []string{"none", "crash"}},

	{Kind: verdict.DoubleGrant, Repair: lease, With: tokenLua, Keeps: entry, Others: NoOther,
		General: true, Locks: []string{"local", "none"}, Faults: []string{"none", "crash"}},
	{Kind: verdict.Clock, Repair: lease, With: tokenLua, Keeps: exclusion, Others: NoOther,
		General: true, Locks: []string{"getset", "getset-redispy"},
		Faults: []string{"clock-client:+", "clock-client:-"}},

	{Kind: verdict.LeaseOverrun, Repair: fence, With: fenced, Keeps: harmless, Except: forgetful,
		General: true,
		Locks: []string{"token-lua", "token-lua constant", "setpx-del", "setpx-getdel", "setnx-expire",
			"setnx-expire-lua", "setnx-del-expired", "setnx-del-expired nil-retry", "getset",
			"getset-redispy", "redisson fixed lease", "redisson-fenced fixed lease", "redlock per call",
			"redlock per attempt"},
		Faults: []string{"pause"}},
	{Kind: verdict.LeaseOverrun, Repair: fence, With: watched, Keeps: harmless, Except: forgetful,
		General: true, Faults: []string{"pause"},
		Locks: []string{"redisson watchdog", "redisson-spin", "redisson-multi", "redisson-fenced"}},

	{Kind: verdict.AfterNotice, Repair: leave, With: Lock{Workload: "heed"}, Keeps: timely,
		Anywhere: true, Locks: []string{"a lock that tells"},
		Faults: []string{"overrun"}, General: true},
	{Kind: verdict.ReleasedByNonOwner, Repair: later, With: Lock{Adapter: "redis-py"},
		Keeps: exclusion, Others: NoOther, Real: true, Locks: []string{"posted-d002"},
		Faults: []string{"pause", "overrun"}},
	// a commit that a standby lacks is lost with its lock
	{Kind: verdict.SessionLost, Repair: together, With: joined, Keeps: intact, Others: NoOther,
		Real: true, General: true, Except: unhelped, System: "postgres", Locks: []string{"postgres row"},
		Faults: []string{"disconnect", "restart"}},
	{Kind: verdict.SessionLost, Repair: together, With: joined, Keeps: intact, Others: NoOther,
		Real: true, General: true, Except: unhelped, System: "mariadb", Locks: []string{"mariadb row"},
		Faults: []string{"disconnect", "restart"}},
	{Kind: verdict.SessionLost, Repair: together, Keeps: intact, Real: true, General: true,
		Except: unhelped, With: Lock{Adapter: "postgres", Variant: "row", Workload: joined.Workload},
		System: "postgres", Locks: []string{"postgres"}, Faults: []string{"disconnect", "restart"}},
	{Kind: verdict.SessionLost, Repair: together, Keeps: intact, Real: true, General: true,
		Except: unhelped, With: Lock{Adapter: "mariadb", Variant: "row", Workload: joined.Workload},
		System: "mariadb", Locks: []string{"mariadb"}, Faults: []string{"disconnect", "restart"}},
	{Kind: verdict.LostByServer, Repair: disk, With: saved, Keeps: exclusion, Real: true,
		Except: unhelped, Faults: []string{"restart"},
		Locks: []string{"token-lua", "setnx", "setnx-expire",
			"setnx-expire-lua", "getset", "getset-redispy", "setpx-del", "setpx-getdel",
			"redisson fixed lease", "redisson watchdog", "redisson-spin", "redisson-multi",
			"redisson-fenced fixed lease"}},
	{Kind: verdict.LostByServer, Repair: counter, Keeps: []string{verdict.Fencing}, Real: true,
		With:   Lock{Impl: "redisson-fenced", NoWatchdog: true, RedisConfig: saved.RedisConfig},
		Except: unhelped, Faults: []string{"restart-delayed"},
		Locks: []string{"redisson-fenced fixed lease"}},
	{Kind: verdict.LostByServer, Repair: disk, With: saved, Keeps: exclusion, Real: true,
		Except: unhelped, Faults: []string{"restart-delayed:stay"}, Locks: []string{"setnx"}},
	{Kind: verdict.LostByServer, Repair: disk, With: saved, Keeps: exclusion[:1], Real: true,
		Except: unhelped, Others: NoOther, Faults: []string{"restart"},
		Locks: []string{"redlock per call", "redlock per attempt"}}, // O is about one server
	{Kind: verdict.LostByServer, Repair: confirmed, With: waiting, Keeps: alone, Real: true,
		Faults: []string{"failover-sentinel:cut"}, Strikes: "failover-sentinel:healthy",
		Locks: []string{"token-lua", "setnx", "setpx-del", "redisson fixed lease",
			"redisson watchdog"},
		Limit: "Under failover-sentinel:cut no client enters on a grant that no replica has. WAIT " +
			"only counts replicas: if one that has not confirmed is promoted, the grant is lost (" +
			advice.Verb("run") + " --impl token-lua --wait-replicas 1 --replicas 2 " +
			"--nemesis failover:after). Servers whose members agree on every write elect none that " +
			"lacks it (" + advice.Verb("choose") + " --fault leader-loss)."},
}
