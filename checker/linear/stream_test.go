package linear_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/internal/history"
)

// TestMutexStreamAgainstFastMutex gives the events of random histories one by one, some with many
// events at one stamp, and compares with the check of the whole.
func TestMutexStreamAgainstFastMutex(t *testing.T) {
	legal, flaws := 0, map[linear.Flaw]int{}
	n := lineartest.Rounds(20_000, 2_000_000)
	for seed := range n {
		h := clientsOf(rand.New(rand.NewPCG(uint64(seed), 53)))
		want := map[linear.Flaw]bool{}
		for _, l := range linear.Logs(h) {
			f, _, _ := linear.FastMutex(l.Ops)
			want[f] = true
			flaws[f]++
		}
		good := len(want) == 0 || len(want) == 1 && want[linear.NoFlaw]
		m := linear.NewMutexStream()
		for i := range h.Events {
			m.Add(&h.Events[i])
		}
		m.End()
		if m.Forgotten != nil {
			t.Fatalf("seed %d: %v is forgotten", seed, *m.Forgotten)
		}
		if good != (m.Found == linear.NoFlaw) {
			t.Fatalf("seed %d: as a stream %v %v %v, as a whole %v\n%s", seed, m.Found, m.A, m.B, want,
				tellEvents(h))
		}
		if good {
			legal++
		}
	}
	t.Logf("%d of %d legal, flaws %v", legal, n, flaws)
	if len(flaws) < int(linear.CoveredPoint)+1 {
		t.Errorf("some flaws never came: %v", flaws)
	}
}

func tellEvents(h *history.History) (out string) {
	for _, e := range h.Events {
		out += fmt.Sprintf("%d client %d %s %s %d %v\n", e.T, e.Process, e.Type, e.F, e.N, e.Keys)
	}
	return out
}

// clientsOf lets a few clients take one of two locks, or both, and release it up to three times.
// Mostly the lock is right, and what clients are told is true.
func clientsOf(r *rand.Rand) *history.History {
	type client struct {
		n, step int
		held    bool
		keys    []int
		doing   string
		happens bool
	}
	h := &history.History{}
	holder := [2]int{-1, -1}
	now, clients, slow := int64(0), make([]client, 2+r.IntN(3)), r.Int64N(3)
	wrong := r.IntN(3) * r.IntN(30)
	for range 6 + r.IntN(60) {
		now += r.Int64N(1 + slow)
		p := r.IntN(len(clients))
		c := &clients[p]
		e := history.Event{T: now, Process: p, Type: history.Invoke}
		switch {
		case c.doing != "": // it returns
			e.F, e.N, e.Keys, c.doing = c.doing, c.n, c.keys, ""
			e.Type = history.Fail
			if c.happens != (r.IntN(100) < wrong/4) {
				e.Type = history.OK
			}
			if r.IntN(8) == 0 {
				e.Type = history.Info
			}
		case c.n > 0 && c.step < 3 && (c.held || r.IntN(8) == 0): // it releases
			c.step++
			c.doing, c.happens = history.Release, c.held || r.IntN(100) < wrong/8
			if c.held && (r.IntN(10) > 0 || r.IntN(100) < wrong) {
				c.held = false
				for _, k := range c.keys {
					if holder[k] == p || r.IntN(100) < wrong {
						holder[k] = -1
					}
				}
			} else {
				c.happens = false
			}
			e.F, e.N, e.Keys = c.doing, c.n, c.keys
		default: // it acquires
			c.n, c.step, c.doing, c.held = c.n+1, 0, history.Acquire, true
			c.keys = [][]int{{0}, {1}, {0, 1}}[r.IntN(3)]
			for _, k := range c.keys {
				c.held = c.held && (holder[k] < 0 || r.IntN(100) < wrong)
			}
			for _, k := range c.keys {
				if c.held {
					holder[k] = p
				}
			}
			c.happens = c.held
			e.F, e.N, e.Keys = c.doing, c.n, c.keys
		}
		h.Events = append(h.Events, e)
	}
	return h
}
