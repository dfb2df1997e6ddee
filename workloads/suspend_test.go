package workloads

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestAClockThatStoodIsBehind suspends a client at 2 s for 10 s, in the middle of a sleep of 3 s.
func TestAClockThatStoodIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		e := NewEnv(context.Background(), 1, func() time.Duration { return time.Since(begin) })
		wake := time.AfterFunc(12*time.Second, func() { e.Stand(10 * time.Second) })
		defer wake.Stop()
		e.Hook(nil, func() { time.Sleep(time.Until(begin.Add(12*time.Second + 1))) })
		time.Sleep(time.Second)
		if err := e.Sleep(context.Background(), 3*time.Second); err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]time.Duration{"it slept until": e.Stamp() - 10*time.Second,
			"its monotonic clock shows":        e.Elapsed(),
			"its wall clock, without 10 s, is": e.Now().Sub(begin) - 10*time.Second} {
			if got.Round(time.Millisecond) != 4*time.Second {
				t.Errorf("%s %v, want 4s", what, got)
			}
		}
		for at, want := range map[time.Duration]time.Duration{time.Second: time.Second,
			2 * time.Second: 2 * time.Second, 2*time.Second + 1: 12 * time.Second,
			e.Elapsed(): e.Stamp()} {
			if got := e.stampOf(at); got != want {
				t.Errorf("its clock showed %v at the stamp %v, want %v", at, got, want)
			}
		}
	})
}
