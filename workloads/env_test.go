package workloads_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// TestTheClockIsAsWrongAsItIsTold reads the wall clock that locks get: a fault of a client's clock
// is an order without an answer, so nothing else proves it.
func TestTheClockIsAsWrongAsItIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin := time.Now()
	e := workloads.NewEnv(ctx, 1, func() time.Duration { return time.Since(begin) })
	for _, offset := range []time.Duration{0, time.Hour, -time.Hour, 0} {
		e.Skew(offset, 0)
		before := time.Now()
		got := e.Now()
		if low, high := before.Add(offset).Round(0), time.Now().Add(offset).Round(0); got.Before(low) ||
			got.After(high) {
			t.Errorf("told to be wrong by %v it shows %v, not %v to %v", offset, got, low, high)
		}
	}
	e.Skew(0, 1_000_000) // a second gains eleven days: no machine is slow enough to hide that
	first := e.Now()
	time.Sleep(time.Millisecond)
	if gained := e.Now().Sub(first); gained < 10*time.Minute {
		t.Errorf("it runs a million times as fast, and gained %v in a millisecond", gained)
	}
	elapsed := e.Elapsed()
	if elapsed < 0 || elapsed > time.Since(begin) {
		t.Errorf("the monotonic clock shows %v", elapsed)
	}
}
