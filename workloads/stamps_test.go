package workloads

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// burster is a Remote whose threads report in any order: what was later may be said first.
type burster struct {
	Remote
	w    *Worker
	draw *rand.Rand
	now  int64
	sent []int64 // all stamps that it gave
}

// stamp is the time after a while.
func (b *burster) stamp() int64 {
	b.now += 1 + b.draw.Int64N(1000)
	b.sent = append(b.sent, b.now)
	return b.now
}

// disturb reports events with stamps that are later than some that are still to be reported.
func (b *burster) disturb() {
	for b.draw.IntN(2) == 0 {
		b.w.Gap(b.stamp(), time.Millisecond)
	}
}

func (b *burster) Lock([]string, string) RemoteLock { return b }

func (b *burster) KeyNames(keys []string) []string { return keys }

func (b *burster) Acquire(_ context.Context, _ int) (g Granted, err error) {
	g.At = b.stamp()
	return g, nil
}

func (b *burster) Release(_ context.Context, _ int, _ Granted, begun func(int64)) (int64, error) {
	began, ended := b.stamp(), b.stamp()
	b.disturb()
	begun(began)
	return ended, nil
}

// TestNoStampOfAnotherProcessIsChanged lets clients report in any order. Every stamp that they gave
// must be recorded, and the history must be one that can be read.
func TestNoStampOfAnotherProcessIsChanged(t *testing.T) {
	for seed := range uint64(200) {
		b := &burster{draw: rand.New(rand.NewPCG(seed, 1))}
		var events []history.Event
		env := NewEnv(t.Context(), seed, func() time.Duration {
			b.now++
			return time.Duration(b.now)
		})
		b.w = NewBridge(t.Context(), Config{Keys: []string{"k"}}, env, b, func(r Report) {
			if r.Event != nil {
				events = append(events, *r.Event)
			}
		})
		for n := range 5 {
			_ = b.w.cycle(Order{N: n + 1, Body: Mutex})
		}
		v := history.NewValidator()
		v.Allow(history.Duration(time.Second))
		var got []int64
		for _, e := range events {
			if err := v.Add(e); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got = append(got, e.T)
		}
		if len(events) < 20 {
			t.Fatalf("only %d events", len(events))
		}
		for _, s := range b.sent {
			if !slices.Contains(got, s) {
				t.Fatalf("seed %d: the stamp %d was sent, and %v are recorded", seed, s, got)
			}
		}
	}
}
