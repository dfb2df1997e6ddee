package checker

import (
	"math"

	"github.com/lockbench/lockbench/history"
)

// forever is the stamp of what did not happen: a release that nobody called, a lease that does not
// end.
const forever = math.MaxInt64

// ending says how a hold came to its end.
type ending uint8

const (
	open     ending = iota // the record ended first
	released               // its client called release
	killed                 // the harness killed its process
	vanished               // its process was gone without a kill; when, nobody knows
	again                  // its client acquired anew without a release
)

// hold is one acquisition that was granted, of one key. Its identity is (process, n, key).
type hold struct {
	process, n, key int
	call, from      int64 // acquire invoked and returned
	granting        int64 // the granting command was about to be sent
	sent            int64 // the granting command, or the latest extension, was about to be sent
	end             int64 // the client was surely inside until then: release invoked, killed, ...
	ended           ending
	returned        int64 // the release returned with an answer, else forever
	answer          history.Type
	lost, valid     int64 // the loss that it was told of; the lock's own promise
	leases          []lease
	node            string
	token           int64
	depth           int
	inner           int64 // the latest release of a nested acquisition was invoked; 0: none was
}

// lease is a time during which the server certainly keeps the key for a hold that nobody takes
// away.
type lease struct {
	call, from, to int64
}

// leaseEnd returns the end of the last lease.
func (h *hold) leaseEnd() int64 { return h.leases[len(h.leases)-1].to }

// call is one acquire call, however it went.
type call struct {
	process, n int
	keys       []int
	from, to   int64        // invoked; returned, or the client was gone, or the record ended
	outcome    history.Type // OK, Fail, Info; Invoke: never returned
	depth      int
}

// record is a history in the form in which it is judged.
type record struct {
	holds   []hold // by the stamp of the grant
	calls   []call // by the stamp of the completion, open ones last
	end     int64  // the latest stamp
	unknown int    // operations whose outcome nobody knows
	nested  int    // re-entrant acquisitions, which are part of the outermost one's hold
	shut    []shut // calls of clients that were inside already and were refused
	bare    int    // grants that say nothing of a lease although the lock declares one
}

// shut is an acquire call that was refused although its client held the lock.
type shut struct {
	hold     int
	from, to int64
}

// keysOf returns the numbers of all locks that an event is about.
func keysOf(e *history.Event) []int {
	if len(e.Keys) > 0 {
		return e.Keys
	}
	return []int{e.KeyOf()}
}
