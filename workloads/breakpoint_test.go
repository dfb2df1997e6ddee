package workloads

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// post is a client that goes through a breakpoint in a goroutine.
type post struct {
	stop   chan int // where it stopped
	passed chan struct{}
}

func pass(g *breakpoints, ctx context.Context, command string) post {
	p := post{make(chan int, 1), make(chan struct{})}
	go func() {
		words := func() string { return command }
		g.command(ctx, "before", words, nil, func(_, stop int) { p.stop <- stop })
		close(p.passed)
	}()
	return p
}

// TestBreakpointForEveryCall wants each to stand at a stop of its own, whatever its time-out, until
// it is called or the breakpoint is taken down.
func TestBreakpointForEveryCall(t *testing.T) {
	g := &breakpoints{life: t.Context()}
	if err := g.arm(Breakpoint{ID: 1, Every: true}); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	var all []post
	var stops []int
	for _, c := range []string{"get a", "set b", "del c"} {
		p := pass(g, over, c)
		stops, all = append(stops, <-p.stop), append(all, p)
	}
	if !slices.Equal(stops, []int{1, 2, 3}) {
		t.Fatalf("they stopped at %v", stops)
	}
	g.open(1, 2)
	<-all[1].passed
	for _, i := range []int{0, 2} {
		select {
		case <-all[i].passed:
			t.Fatalf("number %d went on with another", i+1)
		default:
		}
	}
	g.open(1, 2) // no client stands there any more
	g.open(1, 0)
	<-all[0].passed
	<-all[2].passed
	late := pass(g, t.Context(), "get d")
	<-late.passed
}

// TestNobodyStandsAtAGateAfterDeath kills a client whose command no context ends.
func TestNobodyStandsAtAGateAfterDeath(t *testing.T) {
	life, kill := context.WithCancel(t.Context())
	g := &breakpoints{life: life}
	if err := g.arm(Breakpoint{ID: 1, At: nemesis.Before, Command: "."}); err != nil {
		t.Fatal(err)
	}
	p := pass(g, context.WithoutCancel(life), "get a")
	<-p.stop
	kill()
	<-p.passed
}

// TestBreakpointForEveryCallStopsWhatBegins wants a stop where a client is about to do something,
// and none where it has done it.
func TestBreakpointForEveryCallStopsWhatBegins(t *testing.T) {
	g := &breakpoints{life: t.Context()}
	if err := g.arm(Breakpoint{ID: 1, Every: true}); err != nil {
		t.Fatal(err)
	}
	var at []string
	stop := func(what string) func(int, int) {
		return func(id, n int) {
			at = append(at, what)
			go g.open(id, n)
		}
	}
	for _, phase := range []string{nemesis.Acquiring, nemesis.Granted, nemesis.Releasing,
		nemesis.Released,
		PhaseConnect} {
		g.phase(t.Context(), phase, stop(phase))
	}
	for _, when := range []string{"before", "after"} {
		g.command(t.Context(), when, func() string { return "get a" }, nil, stop(when))
	}
	want := []string{nemesis.Acquiring, nemesis.Releasing, PhaseConnect, "before"}
	if !slices.Equal(at, want) {
		t.Errorf("stopped at %v, want %v", at, want)
	}
}

// TestWordsAreAskedForOnlyWhereAPatternNeedsThem: to put a command in words takes time.
func TestWordsAreAskedForOnlyWhereAPatternNeedsThem(t *testing.T) {
	g := &breakpoints{life: t.Context()}
	for _, b := range []Breakpoint{{ID: 1, Phase: nemesis.Granted},
		{ID: 2, At: nemesis.After, Command: "^get"}} {
		if err := g.arm(b); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	words := func() string { asked++; return "set a" }
	stop := func(id, _ int) { t.Error("stopped at", id) }
	g.command(t.Context(), nemesis.Before, words, nil, stop)
	if asked > 0 {
		t.Error("asked although no breakpoint is before a command")
	}
	if g.command(t.Context(), nemesis.After, words, nil, stop); asked != 1 {
		t.Errorf("asked %d times, want 1", asked)
	}
}

// TestHurry wants sleeps to be shorter by what a replay is late, and never to fail for it.
func TestHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		e := NewEnv(t.Context(), 1, func() time.Duration { return time.Since(begin) })
		e.Hurry(3 * time.Millisecond)
		for _, c := range []struct{ asked, slept time.Duration }{
			{10 * time.Millisecond, 7 * time.Millisecond}, {time.Millisecond, 0}} {
			before := time.Now()
			if err := e.Sleep(t.Context(), c.asked); err != nil || time.Since(before) != c.slept {
				t.Errorf("slept %v instead of %v: %v", time.Since(before), c.slept, err)
			}
		}
	})
}
