// Package repair knows the smallest change of a lock that removes a kind of violation, or makes it
// harmless. Runs have shown each of its repairs, and a test repeats these runs.
package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/nemesis"
)

// A Repair is a change of a lock, of the resource that it guards, or of its servers.
type Repair struct {
	Name string
	Do   string   // what to change, a sentence without its full stop
	Code []string // how, in lines of Lua, SQL or a command
}

// A Lock is a lock of the table with its settings, as the flags of run name it.
type Lock struct {
	Impl, Adapter string // at most one
	Variant       string
	NoWatchdog    bool
	Workload      string
	RedisConfig   []string // key=value
	WaitReplicas  int
	Retries       int    // of a command that is not answered, by the client's library
	Timeout       string // of the client's library, as the flag has it; "" for its own
}

// named reports whether the lock is another one than the violated lock.
func (l Lock) named() bool { return l.Impl != "" || l.Adapter != "" }

// Flags returns the flags of run that select the lock. The argument has the flags of the violated
// lock, which a repair of its settings keeps.
func (l Lock) Flags(same string) string {
	out := same
	if l.Impl != "" {
		out = "--impl " + l.Impl
	}
	if l.Adapter != "" {
		out = "--adapter " + l.Adapter
	}
	if l.Variant != "" {
		out += " --variant " + units.Quoted(l.Variant)
	}
	if l.NoWatchdog {
		out += " --watchdog=false"
	}
	if l.Workload != "" {
		out += " --workload " + l.Workload
	}
	for _, c := range l.RedisConfig {
		out += " --redis-config " + c
	}
	if l.WaitReplicas > 0 {
		out += fmt.Sprint(" --wait-replicas ", l.WaitReplicas)
	}
	if l.Retries > 0 {
		out += fmt.Sprint(" --client-retries ", l.Retries)
	}
	if l.Timeout != "" {
		out += " --client-timeout " + l.Timeout
	}
	return out
}

// A Row says which repair removes a kind of violation of some locks under some faults.
type Row struct {
	Kind   string   // a class, or the letter of a violation that has none
	Locks  []string // as they are, by the names of the matrix
	Faults []string // values of --nemesis
	Except []string // faults under which the repair does not help
	*Repair
	With  Lock     // the repaired lock; unless it is named, the same lock with other settings
	Keeps []string // the letters that its runs keep
	// The repaired lock never sends the command at which the faults strike. It runs under their first
	// aim.
	Unaimed bool
	// Under the faults, the repaired lock lets no client in on a grant that they could take. It runs
	// under this fault, which strikes a grant; or "".
	Strikes string
	Resends bool   // as it is, the lock fails with the retries and the time-out of With
	Real    bool   // it needs real servers: the simulator lacks its settings
	System  string // the servers that it is about; "" for Redis
	Others  Others // the locks that are not in the table
	General bool   // it is the repair of the kind under any fault
	Alike   bool   // it is for clients that wrote the same value
	Limit   string // sentences: what defeats it, and what to use then; or ""
	// it fits locks of other systems than Redis, too; its command runs the violated lock itself
	Anywhere bool
}

// Harmless reports whether the repair leaves the violation, and makes it do no harm: the resource
// takes no late write.
func (r Row) Harmless() bool {
	return r.With.Workload == fenced.Workload || r.With.Workload == joined.Workload
}

// Others names the locks outside of a row that the row fits as well.
type Others int

// The groups of other locks.
const (
	AnyOther  Others = iota
	NoOther          // the repair depends on the code of the row's locks
	Leaseless        // locks that declare no lease
)

// Violation is the violation of a lock in a run under a fault.
type Violation struct {
	Lock            string // by its name in the matrix; "" if the table does not have it
	Flags           string // that run it: "--impl setpx-del"
	Fault           string // a value of --nemesis
	Spared          bool   // the fault took no data from a server, although it may
	Property, Class string
	System          string // of the servers; "" for Redis
	Masters         int    // independent ones; 0 and 1 mean one
	Lease           bool   // the lock declares a lease
	Renews          bool   // a watchdog renews it
	Plain           bool   // the key was deleted with a plain command, which compares nothing
	CameLate        bool   // the grant was believed although its lease was over
	OneValue        bool   // the clients wrote the same value
	Waits           bool   // the lock waits for replicas already
	Resends         bool   // the client's library sends a command again that is not answered
	Released        bool   // the key that was left behind is that of an answered grant
}

// Plain reports whether a command deletes a key without a look at its value.
func Plain(args []string) bool {
	plain := []string{"DEL", "UNLINK", "GETDEL"}
	return len(args) > 0 && slices.Contains(plain, strings.ToUpper(args[0]))
}

// kind returns the class of a violation. If it has none, kind returns its property.
func (v Violation) kind() string {
	if v.Class != "" {
		return v.Class
	}
	return v.Property
}

// A Found is a repair with the command that shows it.
type Found struct {
	*Repair
	Own    bool   // the repair was shown for the violated lock itself
	Fault  string // a run under this fault showed the repair
	Tokens bool   // it rests on tokens that grow
	// it leaves the violation, and makes it do no harm
	Harmless bool
	Tried    bool   // it was shown for another lock, and the command tries it with the violated one
	Limit    string // what defeats it, in sentences, or ""
	Command  advice.Command
}

// Find returns the repair of a violation, or nil if no run has shown one. It prefers the rows of
// the lock and of the exact fault. It uses a row of another fault if the repair does not depend on
// the fault. For another lock with a watchdog it uses no row that turns the watchdog off.
func Find(v Violation) *Found {
	of := filter(rows, v.suits)
	own := filter(of, func(r Row) bool { return slices.Contains(r.Locks, v.Lock) })
	others := filter(of, func(r Row) bool {
		return (r.Others == AnyOther || r.Others == Leaseless && !v.Lease) &&
			!(v.Renews && r.With.NoWatchdog)
	})
	for _, rows := range [][]Row{own, others} {
		r, fault, ok := pick(rows, v.Fault)
		if !ok {
			continue
		}
		same, shown := slices.Contains(r.Locks, v.Lock), v.Flags
		if r.Repair == fence && (v.System != "" || v.Masters > 1) {
			r.Repair = drawn
		}
		if r.Anywhere && !same {
			return &Found{Repair: r.Repair, Tried: true, Command: advice.Command{
				Line: r.command(shown, v.Fault).Line}}
		}
		if !same {
			shown = "--impl " + r.Locks[0]
		}
		return &Found{Repair: r.Repair, Own: same, Fault: r.FaultFor(fault), Limit: r.Limit,
			Tokens: r.Repair == fence || r.Repair == drawn, Harmless: r.Harmless(),
			Command: r.command(shown, fault)}
	}
	return nil
}

// suits reports whether the repair of a row fits the violation; Find matches the lock. The repair
// must be for this kind of violation and fault, and keep the violated property. One that makes the
// violation harmless need not. If the row does not list the lock, some repairs fit only some
// violations: the owner check a plain deletion, a fresh value another one, the promised lease a
// lock that has one, and a look at the validity a grant that came late. Clients that wrote one
// value need a fresh one in any case. A lock that waits for replicas already gains nothing from a
// confirmed grant. A release that is sent again removes only the key of a grant that was answered.
func (v Violation) suits(r Row) bool {
	unfit := (r.Repair == owner || r.Repair == unrepeated) && !v.Plain ||
		r.Repair == fresh && (v.Plain && !r.Alike || !v.OneValue && r.Alike) ||
		r.Repair == whole && !v.Lease ||
		(r.Repair == validity) != v.CameLate && r.Kind == verdict.LateMessage
	if unfit && !slices.Contains(r.Locks, v.Lock) || v.Waits && r.Repair == confirmed ||
		!v.Released && r.Repair == repeated || r.Resends && !v.Resends ||
		v.OneValue && r.Kind == verdict.ReleasedByNonOwner && !r.Alike {
		return false
	}
	return r.Kind == v.kind() &&
		(sameServers(v.System, r.System) || r.Repair == fence || r.Anywhere) &&
		(r.Harmless() || slices.Contains(r.Keeps, v.Property)) &&
		(r.With.named() || v.Flags != "") &&
		(v.Spared || !slices.ContainsFunc(r.Except, func(f string) bool { return family(f, v.Fault) }))
}

// sameServers reports whether two systems have the same servers, as a pooler has its database's.
func sameServers(a, b string) bool { return nemesis.SystemName(a) == nemesis.SystemName(b) }

func filter(rows []Row, keep func(Row) bool) (out []Row) {
	for _, r := range rows {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

// pick returns the row to use for a fault, and the fault for which it was shown.
func pick(rows []Row, fault string) (r Row, shown string, ok bool) {
	for _, same := range []func(a, b string) bool{nemesis.SameAim, family} {
		for _, r := range rows {
			if i := slices.IndexFunc(r.Faults, func(f string) bool { return same(f, fault) }); i >= 0 {
				return r, r.Faults[i], true
			}
		}
	}
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.General }); i >= 0 {
		return rows[i], rows[i].Faults[0], true
	}
	return r, "", false
}

// family reports whether two faults differ only in their aim.
func family(a, b string) bool {
	return nemesis.Base(a) == nemesis.Base(b)
}

// FaultFor returns the fault under which the repaired lock runs.
func (r Row) FaultFor(fault string) string {
	if r.Unaimed {
		return nemesis.Base(fault)
	}
	return cmp.Or(r.Strikes, fault)
}

// command returns the command that shows the repair under a fault.
func (r Row) command(same, fault string) advice.Command {
	line := advice.Verb("run") + " " + r.With.Flags(same) + " --nemesis " + r.FaultFor(fault) +
		" --properties " + strings.Join(r.Keeps, ",")
	return advice.Command{Line: line, Promise: advice.Promise{Exits: []int{0}, Kept: r.Keeps}}
}

// Fence returns the repair of a resource whose lock draws tokens already.
func Fence() Repair {
	r := *fence
	r.Code = r.Code[1:] // without the drawing
	return r
}

// LastingTokens returns the repair of a resource whose tokens no server of the lock can forget.
func LastingTokens() Repair { return *drawn }

// AtomicLease returns the repair of a lock whose key may stay for good.
func AtomicLease() Repair { return *lease }

// EndingCall returns the repair of a call that does not end.
func EndingCall() Repair { return *timed }

// Rows returns the table. The caller must not change it.
func Rows() []Row { return rows }
