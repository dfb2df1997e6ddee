// Package spec has a specification of each lock in the table. A specification is a page of Go that
// follows the lock's source document and shares no code with the lock's port. It says which
// commands a call sends, in which order and after which replies, and how the call may end. Validate
// checks a recorded run, real or simulated: every command of its trace must be a behaviour of the
// lock (trace validation). So it finds a port that departs from its document, and an environment
// that does not behave like Redis, even if the run violates no property.
//
// Start with setpx.go, the smallest page. Then read call.go for the words of a page.
package spec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Departure is the first action of a client that its lock's specification does not allow.
type Departure struct {
	Process int
	T       int64 // stamp
	What    string
}

// Error returns the departure in one line.
func (d *Departure) Error() string {
	return fmt.Sprintf("client %d at %.6f s: %s", d.Process, float64(d.T)/1e9, d.What)
}

// page is the specification of a lock. Each function reads one call. Release and extend read a call
// for a hold that acquire granted.
type page struct {
	acquire, release, extend func(*call)
	// reads a command that the watchdog sends during a call; nil if the lock has no watchdog
	beside func(*client, *history.Command) error
}

// pages has the specifications by the lock's name.
var pages = map[string]page{
	"setnx":                      {acquire: setnx, release: deletes},
	"setnx-del-expired":          {acquire: setnxDelExpired, release: deletes},
	"setnx-expire":               {acquire: setnxExpire, release: deletes},
	"setnx-expire-lua":           {acquire: setnxExpireLua, release: comparesAndDeletes},
	"setnx-expire-lua-as-posted": {acquire: setnxExpirePosted, release: releasesPosted},
	"getset":                     {acquire: getset, release: getsetRelease},
	"getset-java":                {acquire: getsetJava, release: getsetJavaRelease},
	"getset-redispy":             {acquire: getsetRedispy, release: getsetRedispyRelease},
	"setpx-del":                  {acquire: setpx, release: deletes},
	"setpx-getdel":               {acquire: setpx, release: getsAndDeletes},
	"setpx-getdel-as-posted":     {acquire: setpxPosted, release: getsAndDeletesPosted},
	"token-lua":                  {acquire: setpx, release: comparesAndDeletes},
	"redisson":                   {acquire: redisson, release: redissonRelease, beside: renews},
	"redisson-spin":              {acquire: redissonSpin, release: spinRelease, beside: renews},
	"redisson-fenced":            {acquire: redissonFenced, release: redissonRelease, beside: renews},
	"redisson-multi":             {acquire: redissonMulti, release: multiRelease, beside: renews},
	"redlock":                    {acquire: redlock, release: redlockRelease, extend: redlockExtend},
	"local":                      {acquire: sendsNothing, release: sendsNothing},
	"none":                       {acquire: sendsNothing, release: sendsNothing},
}

// Has reports whether the lock of this name has a specification.
func Has(lock string) bool { _, ok := pages[lock]; return ok }

// Locks returns the names of the locks that have a specification, sorted.
func Locks() []string { return slices.Sorted(maps.Keys(pages)) }

// Validate returns the first departure of a run from its lock's specification, or nil. The caller
// passes the options of the run's locks. Validate also returns nil for a lock without a
// specification; see Has.
func Validate(h *history.History, trace []history.Command, o impls.Options) *Departure {
	p, ok := pages[h.Header.Impl]
	if !ok {
		return nil
	}
	r := &run{header: h.Header, options: o, page: p, used: map[string]bool{},
		doubles: struck(h.Events, nemesis.Duplicate), steady: !struck(h.Events, nemesis.ClientClock)}
	return r.departs(h.Events, r.byClient(h, trace))
}

// byClient returns the commands of each client in the order of sending. It ignores commands after
// the end of the history, since the trace of an interrupted run may be longer than its history.
func (r *run) byClient(h *history.History, trace []history.Command) map[int][]*history.Command {
	out := map[int][]*history.Command{}
	known := int64(math.MaxInt64)
	if !h.Complete() {
		known = 0
		for _, e := range h.Events {
			known = max(known, e.T)
		}
	}
	for i := range trace {
		m := &trace[i]
		if len(m.Args) == 0 || m.Sent > known {
			continue
		}
		if r.header.Environment == "external" {
			m = plain(m)
		}
		out[m.Process] = append(out[m.Process], m)
	}
	for process, sent := range out {
		slices.SortStableFunc(sent, func(a, b *history.Command) int {
			return cmp.Compare(a.Sent, b.Sent)
		})
		out[process] = r.dropRepeats(sent)
	}
	return out
}

// departs returns the first departure in the order of the calls, or nil.
func (r *run) departs(es []history.Event, commands map[int][]*history.Command) *Departure {
	var all []*call
	for process := range r.header.Clients {
		all = append(all, r.calls(es, process, commands[process])...)
	}
	slices.SortStableFunc(all, func(a, b *call) int { return cmp.Compare(a.from, b.from) })
	for _, c := range all {
		if d := c.validate(r.page); d != nil {
			return d
		}
	}
	return nil
}
