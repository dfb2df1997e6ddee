package workloads

import (
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// TestGeneratorIsPure asks for the same cycles whatever the order in which the clients come.
func TestGeneratorIsPure(t *testing.T) {
	shape := Shape{Body: Multi, AnyOrder: true, Clients: 3, Keys: 5, Hold: time.Second,
		Think: time.Second, Seed: 7}
	a, b := NewGenerator(shape), NewGenerator(shape)
	for range 20 {
		b.Next(2)
	}
	for n := range 20 {
		x, think := a.Next(1)
		y, same := b.Next(1)
		if !slices.Equal(x.Keys, y.Keys) || x.N != y.N || think != same {
			t.Fatalf("cycle %d of client 1 is %+v after %v, or %+v after %v", n, x, think, y, same)
		}
		if len(x.Keys) != multiKeys || x.Keys[0] == x.Keys[1] {
			t.Fatalf("keys %v; want two", x.Keys)
		}
	}
}

// TestKeysAreAskedForInAnyOrder: two clients that begin ask the other way round.
func TestKeysAreAskedForInAnyOrder(t *testing.T) {
	g := NewGenerator(Shape{Body: Multi, AnyOrder: true, Clients: 2, Keys: 2, Seed: 7})
	a, _ := g.Next(0)
	b, _ := g.Next(1)
	if slices.IsSorted(a.Keys) == slices.IsSorted(b.Keys) {
		t.Errorf("both ask for %v", a.Keys)
	}
}

func TestGeneratorLeavesRoomForNestedAcquires(t *testing.T) {
	g := NewGenerator(Shape{Body: Reentrant, Clients: 1, Keys: 1})
	for _, want := range []int{1, 4, 7} {
		if o, _ := g.Next(0); o.N != want {
			t.Errorf("cycle is number %d, want %d", o.N, want)
		}
	}
}

func TestLongWorkOutlastsTheLease(t *testing.T) {
	g := NewGenerator(Shape{Body: LongWork, Clients: 1, Keys: 1, Hold: time.Second,
		TTL: 2 * time.Second})
	if o, _ := g.Next(0); o.Hold.D() != 4*time.Second {
		t.Errorf("holds for %v, want 4s", o.Hold.D())
	}
}

// TestHoldsAreSharedWhereNothingIsWritten wants both modes of a lock that has them, and the same
// cycles as ever of one that has not.
func TestHoldsAreSharedWhereNothingIsWritten(t *testing.T) {
	for body, may := range map[string]bool{Mutex: true, LongWork: true, Counter: false} {
		for _, declared := range []bool{true, false} {
			g := NewGenerator(Shape{Body: body, Clients: 1, Keys: 1, Shared: declared})
			shared := 0
			for range 100 {
				if o, _ := g.Next(0); o.Mode == history.Shared {
					shared++
				}
			}
			if some := shared > 0 && shared < 100; some != (may && declared) {
				t.Errorf("%s, shared %v: %d of 100 cycles are shared", body, declared, shared)
			}
		}
	}
}

// TestFirstHoldsConflict: of two clients that begin, one excludes the other.
func TestFirstHoldsConflict(t *testing.T) {
	for seed := range uint64(20) {
		g := NewGenerator(Shape{Body: Mutex, Clients: 2, Keys: 1, Shared: true, Seed: seed})
		a, _ := g.Next(0)
		b, _ := g.Next(1)
		if a.Mode == b.Mode {
			t.Errorf("seed %d: both begin with mode %q", seed, a.Mode)
		}
	}
}
