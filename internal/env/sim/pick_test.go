package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// odometer goes through all lists of picks with at most bound that are not 0.
type odometer struct {
	sim.Recorded
	bound  int
	prefix []int // what this run must pick first
	path   []int // what it picked
	widths []int // of how many
	used   int
}

// Pick follows the prefix, and then takes the default.
func (o *odometer) Pick(_ *sim.Environment, options []sim.Option) int {
	c, width := 0, len(options)
	if len(o.path) < len(o.prefix) {
		c = o.prefix[len(o.path)]
	} else if o.used == o.bound {
		width = 1
	}
	if c > 0 {
		o.used++
	}
	o.path, o.widths = append(o.path, c), append(o.widths, width)
	return c
}

// next makes the prefix of the next list; false: that was all.
func (o *odometer) next() bool {
	i := len(o.path) - 1
	for ; i >= 0; i-- {
		if o.path[i]+1 < o.widths[i] && (o.path[i] > 0 || o.deviations(i) < o.bound) {
			break
		}
	}
	if i < 0 {
		return false
	}
	o.prefix = append(o.path[:i:i], o.path[i]+1)
	o.path, o.widths, o.used = nil, nil, 0
	return true
}

func (o *odometer) deviations(before int) (n int) {
	for _, c := range o.path[:before] {
		if c > 0 {
			n++
		}
	}
	return n
}

// overlap reports whether two clients were inside at once: [granted, release invoked) of one lies
// across that of another.
func overlap(t *testing.T, text string) bool {
	h, err := history.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	inside := map[int]bool{}
	for _, e := range h.Events {
		switch {
		case e.Type == history.OK && e.F == history.Acquire:
			inside[e.Process] = true
			if len(inside) > 1 {
				return true
			}
		case e.Type == history.Invoke && e.F == history.Release, e.Type == history.Kill:
			delete(inside, e.Process)
		}
	}
	return false
}

// TestEveryOrderOfMessages goes through the orders of a few messages. The lock that takes "nothing
// there" for "expired" is broken by an order alone, without any fault (docs/locks/expected.md);
// compare-and-delete is not.
func TestEveryOrderOfMessages(t *testing.T) {
	for _, c := range []struct {
		lock  string
		bound int
		found bool
	}{{"setnx-del-expired", 4, true}, {"token-lua", 3, false}} {
		p := plan(t, harness.RunOptions{
			Impl: c.lock, Nemesis: "none", Clients: 2, TTL: 2 * time.Second,
			Poll: 50 * time.Millisecond, Hold: 50 * time.Millisecond, For: 60 * time.Millisecond,
		})
		p.Requires.Contended = 100 // the whole time
		o := &odometer{bound: c.bound}
		runs, found := 0, 0
		for more := true; more && found == 0; more = o.next() {
			h, _, err := record(p, func(cfg *sim.Config) { cfg.Chooser = o })
			if err != nil {
				t.Fatalf("%s: picks %v: %v", c.lock, o.path, err)
			}
			runs++
			if overlap(t, h) {
				found++
			}
		}
		t.Logf("%s: %d runs, %d of them with two clients inside", c.lock, runs, found)
		if (found > 0) != c.found || runs < 20 {
			t.Errorf("%s: %d of %d orders break it; want some: %v", c.lock, found, runs, c.found)
		}
	}
}

// printer remembers the fingerprints at which it was asked.
type printer struct {
	sim.Recorded
	prints []uint64
	turn   int
}

func (p *printer) Prunes() {}

func (p *printer) Pick(w *sim.Environment, options []sim.Option) int {
	p.prints = append(p.prints, w.Fingerprint())
	p.turn++
	if p.turn%7 == 0 {
		return len(options) - 1
	}
	return p.turn % len(options)
}

// TestFingerprint wants the same states in the same order from the same picks, and different ones
// at different moments.
func TestFingerprint(t *testing.T) {
	p := plan(t, harness.RunOptions{Impl: "redisson", Nemesis: "failover", TTL: 300 * time.Millisecond,
		For: time.Second})
	var runs [2]printer
	for i := range runs {
		if _, _, err := record(p, func(cfg *sim.Config) { cfg.Chooser = &runs[i] }); err != nil {
			t.Fatal(err)
		}
	}
	a, b := runs[0].prints, runs[1].prints
	if len(a) < 15 || len(a) != len(b) {
		t.Fatalf("%d and %d picks", len(a), len(b))
	}
	distinct := map[uint64]bool{}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("pick %d of %d: the states differ", i, len(a))
		}
		distinct[a[i]] = true
	}
	if len(distinct) < len(a)*9/10 {
		t.Errorf("%d different states at %d picks", len(distinct), len(a))
	}
}
