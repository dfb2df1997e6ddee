package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestDrawnRenewals lets clients with watchdogs use a lock on a server that stands for a time, or
// answers late, with clients that are paused. The server loses nothing and no one else uses it, so
// that only the end of a lease frees a key that its owner did not delete. A renewal that compares
// nothing may be accused only if it hit another's key, and one that compares never.
func TestDrawnRenewals(t *testing.T) {
	accused, overran := 0, 0
	n := lineartest.Rounds(150, 20_000)
	for seed := range n {
		w := drawRenewals(uint64(seed))
		v := Check(w.h, w.commands, Options{Properties: []string{"S", "L", "O", "D", "R", "V"}})
		for _, p := range v.Properties {
			switch {
			case p.Verdict != Violated:
			case p.Property == "S" && (p.Class == LeaseOverrun || p.Class == LateMessage):
				overran++
			case p.Property == "R" && w.timeout > 0: // a command that was given up left the key
			case p.Property == "O" && p.Class == RenewedByNonOwner && w.foreign:
				accused++
			default:
				t.Fatalf("seed %d: %s: %s (foreign: %v)\n%s", seed, p.Property, p.Class, w.foreign,
					p.Explanation)
			}
		}
	}
	t.Logf("%d histories: %d accused, %d overran", n, accused, overran)
	if accused < n/100 || overran < n/10 {
		t.Errorf("%d histories: %d accused, %d overran", n, accused, overran)
	}
}

// renewal is the way in which clients renew.
type renewal int

const (
	byCommand renewal = iota // PEXPIRE
	byScript                 // a script with nothing but PEXPIRE
	ifOwner                  // a script that compares
	ifWatched                // a SET in a transaction that fails if the key has changed
	allWays
)

// blind reports whether the renewals compare nothing.
func (w renewal) blind() bool { return w < ifOwner }

// msec is a millisecond, and lease the lease, in ns.
const (
	msec  = int64(time.Millisecond)
	lease = 1000 * msec
)

// renewals are clients, a server with one key, and the history that they make.
type renewals struct {
	r        *rand.Rand
	h        *history.History
	commands []history.Command
	foreign  bool // a renewal hit another client's key
	way      renewal
	slowest  int64               // a message, in ns
	timeout  int64               // of the clients, or 0
	stops    map[string][2]int64 // of a target
	due      []deed
	arrived  []int64 // by client: its latest command
	owner    string
	end      int64 // of the key's lease
}

// deed is something that happens at a time.
type deed struct {
	t int64
	f func(t int64)
}

func drawRenewals(seed uint64) *renewals {
	w := &renewals{r: rand.New(rand.NewPCG(seed, 41)), arrived: make([]int64, 3), slowest: 40 * msec,
		stops: map[string][2]int64{}, h: &history.History{Header: history.Header{Type: "header",
			Format: history.Format, Environment: "test", TTL: history.Duration(lease),
			Names: []string{"k"}, Declares: history.Declares{Lease: true}}}}
	w.way = renewal(w.r.IntN(int(allWays)))
	w.timeout = int64(w.r.IntN(3)/2) * 700 * msec
	if w.r.IntN(3) == 0 {
		w.slowest = 500 * msec
		w.fault(nemesis.Delay, "*>n0", 0, 20_000*msec)
	}
	for _, target := range []string{"n0", fmt.Sprintf("c%d", w.r.IntN(3))} {
		if w.r.IntN(3) > 0 {
			from := w.some(200, 3000)
			w.stop(target, from, from+w.some(100, 2500))
		}
	}
	for c := range w.arrived {
		w.at(w.some(1, 300), func(t int64) { w.acquire(c, 1, t) })
	}
	for len(w.due) > 0 {
		i := 0
		for j := range w.due {
			if w.due[j].t < w.due[i].t {
				i = j
			}
		}
		s := w.due[i]
		w.due = slices.Delete(w.due, i, i+1)
		s.f(s.t)
	}
	w.h.Sort()
	last := w.h.Events[len(w.h.Events)-1].T
	w.event(history.Event{Type: history.End, T: last, Process: history.Harness})
	slices.SortStableFunc(w.commands, func(a, b history.Command) int { return int(a.Sent - b.Sent) })
	return w
}

// some returns a time between two numbers of milliseconds.
func (w *renewals) some(from, to int64) int64 { return from*msec + w.r.Int64N((to-from)*msec) }

func (w *renewals) at(t int64, f func(int64)) { w.due = append(w.due, deed{t, f}) }

func (w *renewals) event(e history.Event) { w.h.Events = append(w.h.Events, e) }

// stop stops a server or a client for a time.
func (w *renewals) stop(target string, from, to int64) {
	action := nemesis.Pause
	if target == "n0" {
		action = nemesis.PauseNode
	}
	w.stops[target] = [2]int64{from, to}
	w.fault(action, target, from, to)
}

func (w *renewals) fault(action, target string, from, to int64) {
	id := len(w.h.Events) + 1
	for _, e := range []history.Event{{T: from, Phase: history.PhaseFrom}, {T: to,
		Phase: history.PhaseTo}} {
		e.Type, e.Process, e.F, e.Target, e.ID = history.Fault, history.Harness, action, target, id
		w.event(e)
	}
}

// runs returns when a target runs, at a time or later.
func (w *renewals) runs(target string, t int64) int64 {
	if s, ok := w.stops[target]; ok && s[0] <= t && t < s[1] {
		return s[1]
	}
	return t
}

// client does something when a client runs.
func (w *renewals) client(c int, t int64, f func(int64)) {
	w.at(w.runs(fmt.Sprintf("c%d", c), t), f)
}
