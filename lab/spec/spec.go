// Package spec says of each lock of the table what it may do, in a page of Go that follows the
// lock's source document and shares nothing with its port: which commands a call sends, in which
// order, after which replies, and how it may end then. Validate holds a recorded run, real or
// simulated, to it: every command of its trace must be a behaviour of the lock (trace validation).
// So a port that departs from its document is noticed, and an environment whose Redis is none, also
// where no property is violated.
//
// Begin with setpx.go, the smallest page, then call.go, what a page is written in.
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

// Departure is the first thing that a client did and its lock does not do.
type Departure struct {
	Process int
	T       int64 // stamp
	What    string
}

// Error says it in one line.
func (d *Departure) Error() string {
	return fmt.Sprintf("client %d at %.6f s: %s", d.Process, float64(d.T)/1e9, d.What)
}

// page is what a lock does. Each function reads one call; Release and Extend read a call for a hold
// that Acquire granted.
type page struct {
	acquire, release, extend func(*call)
	// a command that a watchdog sends, beside all calls; nil: there is none
	beside func(*client, *history.Command) error
}

// pages are the specifications by the lock's name.
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

// Has reports whether there is a specification of a lock of that name.
func Has(lock string) bool { _, ok := pages[lock]; return ok }

// Locks are the names of all specifications, sorted.
func Locks() []string { return slices.Sorted(maps.Keys(pages)) }

// Validate returns what a run did that its lock does not do, or nil. The options are those that the
// lock was made with. It returns nil, too, for a lock of which there is no specification: see Has.
func Validate(h *history.History, trace []history.Command, o impls.Options) *Departure {
	p, ok := pages[h.Header.Impl]
	if !ok {
		return nil
	}
	r := &run{header: h.Header, options: o, page: p, used: map[string]bool{},
		doubles: struck(h.Events, nemesis.Duplicate), steady: !struck(h.Events, nemesis.ClientClock)}
	return r.departs(h.Events, r.byClient(h, trace))
}

// byClient are the commands of each client in the order in which they were sent. Of a run that was
// cut off, the trace may be longer than the history.
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

// departs is the first departure in the order of the calls.
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
