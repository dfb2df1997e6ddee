package checker

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/internal/history"
)

// TestALostUpdateNamesTheFailover: a read after a promotion shows the value from before a write
// that was confirmed. Where the promotion is not between the two, it is not named.
func TestALostUpdateNamesTheFailover(t *testing.T) {
	for promoted, want := range map[string]string{
		"fault promote n1 9 10":  "n1 was promoted at 0.000 s, after client 0's write of",
		"fault promote n1 7 10":  "",
		"fault promote n1 15 16": "",
		"":                       "",
	} {
		h := story(t, "c0 acquire 1 2; c0 read 3 4 value=5; c0 write 5 8 value=6; c1 acquire 10 11; "+
			"c1 read 12 13 value=5; c1 write 14 17 value=6; "+promoted)
		p := Check(h, nil, Options{Properties: []string{"U"}}).Properties[0]
		if p.Verdict != Violated || !strings.HasPrefix(p.Cause, want) || want == "" && p.Cause != "" {
			t.Errorf("%q: %s, cause %q", promoted, p.Verdict, p.Cause)
		}
	}
}

// TestUpdatesAgainstTheResource lets sections read and write a resource in a random order of single
// accesses: U must be violated only if some section wrote upon a value that was not the latest any
// more, and must be if all know their outcome and the values never return.
func TestUpdatesAgainstTheResource(t *testing.T) {
	lostOnes := 0
	n := lineartest.Rounds(3000, 100_000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		h, lost, unknown := counter(r)
		v := Check(h, nil, Options{Properties: []string{"U"}})
		got := v.Properties[0].Verdict == Violated
		if got && !lost || !got && lost && !unknown {
			t.Fatalf("seed %d: U %s, in truth lost: %v (unknown outcomes: %v)\n%+v", seed,
				v.Properties[0].Verdict, lost, unknown, h.Events)
		}
		if lost {
			lostOnes++
		}
	}
	t.Logf("%d histories, an update lost in %d", n, lostOnes)
}

// counter runs clients that read a counter and write one more, sometimes without excluding each
// other.
func counter(r *rand.Rand) (h *history.History, lost, unknown bool) {
	h = &history.History{Header: history.Header{Environment: "test"}}
	now, value := int64(0), r.Int64N(3)
	read := make([]int64, 3)
	busy := make([]bool, 3)
	n := make([]int, 3)
	tick := func() int64 { now += r.Int64N(2); return now }
	add := func(p int, f string, v int64, result history.Type, act func()) {
		h.Events = append(h.Events, history.Event{Type: history.Invoke, T: tick(), Process: p, F: f,
			N: n[p], Value: history.Ptr(v)})
		tick()
		act()
		h.Events = append(h.Events, history.Event{Type: result, T: tick(), Process: p, F: f, N: n[p],
			Value: history.Ptr(v)})
	}
	careful := r.IntN(2) == 0
	for range 4 + r.IntN(16) {
		p := r.IntN(3)
		if careful && !busy[p] && slices.Contains(busy, true) {
			continue
		}
		if !busy[p] {
			n[p]++
			add(p, history.ReadOp, value, history.OK, func() { read[p] = value })
			busy[p] = true
			continue
		}
		busy[p] = false
		result, happens := history.OK, true
		if r.IntN(6) == 0 {
			result, happens, unknown = history.Info, r.IntN(2) == 0, true
		}
		add(p, history.WriteOp, read[p]+1, result, func() {
			if happens {
				lost = lost || value != read[p]
				value = read[p] + 1
			}
		})
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: now + 1, Process: history.Harness})
	return h, lost, unknown
}
