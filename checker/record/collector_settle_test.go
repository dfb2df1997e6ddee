package record

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestSettle: a hold is handed over once no later event says anything of it, which the answer to
// its release does.
func TestSettle(t *testing.T) {
	c := NewCollector(history.Header{Clients: 2, Keys: 1})
	add := func(typ history.Type, process int, f string, n int, at int64) {
		c.Add(&history.Event{Type: typ, Process: process, F: f, N: n, Key: history.Ptr(0), T: at})
	}
	var taken []*Hold
	settle := func() int {
		taken = taken[:0]
		c.Settle(func(h *Hold) { taken = append(taken, new(*h)) })
		return len(taken)
	}
	add(history.Invoke, 0, history.Acquire, 1, 1)
	add(history.OK, 0, history.Acquire, 1, 2)
	if n := settle(); n != 0 {
		t.Errorf("%d holds are handed over while a client is inside", n)
	}
	add(history.Invoke, 0, history.Release, 1, 3)
	if n := settle(); n != 0 {
		t.Errorf("%d holds are handed over before their release is answered", n)
	}
	add(history.Invoke, 1, history.Acquire, 1, 4)
	add(history.OK, 0, history.Release, 1, 5)
	if n := settle(); n != 1 || taken[0].Answer != history.OK || taken[0].Returned != 5 {
		t.Errorf("%d holds: %+v", n, taken)
	}
}
