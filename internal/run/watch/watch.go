// Package watch judges the locks of a running Redis by the commands that it executes.
//
// MONITOR shows commands and no replies. What a command did follows from a model of each key
// (package engine) by the server's own clock. MONITOR also shows the commands that a script calls,
// so that the source of a script is not needed. A key is unknown until a command whose effect does
// not depend on its old value. Only certain facts about known keys become events.
package watch

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
)

// The bounds of memory.
const (
	maxKeys    = 10_000 // keys with statistics
	maxHolds   = 16     // latest holds of a key, by value
	maxWaiters = 256    // clients of a key that wait
	maxScripts = 1_000  // scripts whose effect is remembered
)

// stampError bounds the time between the execution of a command and its stamp, in µs. An expiry
// that is nearer to a command decides nothing.
const stampError = 5_000

// Options are the user's settings of a watch.
type Options struct {
	Pattern string // of the keys to judge, as KEYS has it
	// Clients says that each client has a connection of its own, so that an address names a client.
	Clients bool
	Routine bool   // emit acquired, refused, renewed and released, too
	Names   *Names // a mapping file, or nil
	// Poll returns what the server answered before the PING with this token, or nil if the token is
	// not ours. If Poll is not nil, events wait until a poll confirms that the server removed no key.
	Poll func(token string) *Poll
	// Emit receives each event, in order, unless it is nil.
	Emit func(Event)
}

// hold is the time during which a key has one owner's value.
type hold struct {
	value string        // the owner's value, or the first field of a hash
	from  string        // the connection that took it
	at    int64         // µs
	taken history.Shown // the command that took it
	lease int64         // the last lease that was asked for, µs, or 0
	until int64         // its end by the server's clock, µs, or 0
	// its form, a write in a script or transaction, may be that of other data, such as a counter
	loose   bool
	plain   bool // written by a command that does not look like a lock's
	ended   ending
	endedAt int64
	told    bool  // an overrun was told
	spent   bool  // its client has sent the deletion that it meant for it
	gone    int64 // when its connection was found closed, or 0
	refused int   // tries of others that it refused
}

// ending is the way in which a hold ended.
type ending uint8

const (
	running ending = iota
	released
	expired
	deleted     // by a command of another client, or one that named no owner
	overwritten // by a command of another client
	vanished    // by the server, or FLUSHALL
	unseen      // while lockbench saw no commands
)

// wait is a row of refused tries of one connection.
type wait struct {
	from        string
	since, last int64
	tries       int
	losses      int     // grants to others while it tried
	luck        float64 // the logarithm of the chance of so many losses in a fair draw
	tried       bool    // since the last grant
	told        bool
}

// place is a key of a database.
type place struct {
	db   int
	name string
}

// lock is the state of a key.
type lock struct {
	place
	known   bool
	value   *engine.Value // of the model, or nil if the key is absent
	now     *hold         // or nil
	past    []*hold       // the latest holds, oldest first
	waiting map[string]*wait
	tried   []*wait // since the last grant
	used    uint64  // when it was last touched, in steps
	probe   probe   // the latest
	over    *hold   // it ended near a try of another client; see lateRelease
	near    bool    // it is unknown since a write near the end of a lease
	Stats
}

// byValue returns the latest hold whose owner wrote the value.
func (l *lock) byValue(value string) *hold {
	if l.now != nil && l.now.value == value {
		return l.now
	}
	for i := len(l.past) - 1; i >= 0; i-- {
		if l.past[i].value == value {
			return l.past[i]
		}
	}
	return nil
}

// step is a command of a client with the commands of its script.
type step struct {
	history.Shown
	inner  []history.Shown
	lo, hi int64 // the command was executed between them, µs
}

// keyspace is the model of the keys of all databases.
type keyspace struct {
	pattern string
	names   *Names
	roles   map[string]*role // of scripts
	model   *engine.Engine   // it has the key whose command it runs
	emptied map[int]bool     // databases whose unseen keys are known to be absent
	locks   map[place]*lock
	inTx    map[string]int64 // when a connection sent MULTI
	dropped int              // locks
	steps   uint64
	blind   uint64 // when all keys became unknown, in steps
	last    int64  // stamp
}

// journal keeps the events and the result.
type journal struct {
	Options
	Summary
	queue []Event
}

// Judge follows the commands of one Redis. It is not safe for concurrent use.
type Judge struct {
	keyspace
	journal
	pending *step
	leases
	polled   Poll   // the latest
	polls    string // the token of the latest
	pollFrom string // the address from which it was asked
	replaced int64  // stamp of the first poll of another server, or 0
	unnamed  deletions
}

// deletions are reports that wait. Each is about a command that deleted a key, came from another
// connection than the one that took the key, and named no owner. The map's key is the connection
// that took the key. If that connection is seen again, another client deleted the key, and the
// report is told. If not, the client that took the key may have deleted it over a new connection.
type deletions map[string][]func()

// blame tells the reports of the keys that a connection took. The caller has seen it again.
func (ds deletions) blame(from string) {
	for _, tell := range ds[from] {
		tell()
	}
	delete(ds, from)
}

// leases are the holds without a lease, oldest first.
type leases []leaseless

// leaseless is a hold that had no lease since a command.
type leaseless struct {
	l     *lock
	h     *hold
	since history.Shown
}

// New makes a Judge.
func New(o Options) *Judge {
	return &Judge{keyspace: keyspace{pattern: o.Pattern, names: o.Names, model: engine.New(),
		emptied: map[int]bool{}, locks: map[place]*lock{}, inTx: map[string]int64{},
		roles: map[string]*role{}},
		journal: journal{Options: o, Summary: Summary{Found: map[Kind]int{}}}, unnamed: deletions{}}
}

// Add judges the next command that the Redis executed.
func (j *Judge) Add(c history.Shown) {
	c.Args = shorten(c.Args)
	if c.Script {
		if j.pending != nil {
			j.pending.inner = append(j.pending.inner, c)
		}
		return
	}
	j.flushStep()
	if len(c.Args) > 1 && is(c.Args[0], "ping") { // its place is behind the step before it
		defer j.flushStep()
	}
	if j.First == 0 {
		j.First = c.At
	}
	lo := max(j.last, c.At-stampError)
	if several[strings.ToLower(c.Args[0])] && len(c.Args) > 2 {
		lo = j.last // another key may be large, and the stamp is that of the end
	}
	if c.At < j.last { // the server's clock went back
		j.lose("the server's clock went back")
		lo = c.At - stampError
	}
	j.last = c.At
	j.pending = &step{Shown: c, lo: lo, hi: c.At + stampError}
}

// flushStep judges the command whose script, if any, has ended.
func (j *Judge) flushStep() {
	s := j.pending
	j.pending = nil
	if s == nil {
		return
	}
	j.Commands++
	j.steps++
	j.Last = s.At
	j.checkLeases(s.lo)
	j.unnamed.blame(s.From)
	j.step(s)
	if j.Options.Poll == nil {
		j.release()
	}
}

// Finish judges what is left at the end, and returns the summary.
func (j *Judge) Finish() *Summary {
	j.flushStep()
	j.release()
	j.Keys, j.Dropped = j.Table(), j.dropped
	j.summarize()
	return &j.Summary
}

// release emits the events that wait.
func (o *journal) release() {
	for _, e := range o.queue {
		o.count1(e)
		if o.Emit != nil {
			o.Emit(e)
		}
	}
	o.queue = o.queue[:0]
}

// lose makes all keys unknown.
func (j *Judge) lose(why string) {
	if j.pending != nil { // its script may not have been seen to its end
		for _, l := range j.touched(j.pending) {
			l.forget()
		}
	}
	j.pending, j.blind = nil, j.steps
	if len(j.Lost) < 20 && !slices.Contains(j.Lost, why) {
		j.Lost = append(j.Lost, why)
	}
	clear(j.emptied)
	clear(j.unnamed) // another client may have the address now
	for _, l := range j.locks {
		if l.known && l.now != nil {
			j.end(l, unseen, j.last)
		}
		l.forget()
	}
}

// forget makes a key unknown.
func (l *lock) forget() { l.known, l.now, l.value, l.over = false, nil, nil, nil }
