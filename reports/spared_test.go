package reports

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
)

// TestAValidRunIsDrawn where a fault fell into a hold: from its grant to the next client's. A fault
// that fell elsewhere has no diagram, nor has a run that proves nothing.
func TestAValidRunIsDrawn(t *testing.T) {
	const heading = "no judged property was violated when the fault struck"
	for _, c := range []struct {
		name    string
		at      int64 // of the kill
		verdict checker.Result
		drawn   bool
	}{
		{"in a hold", 40e6, checker.Valid, true},
		{"before it", 5e6, checker.Valid, false},
		{"of no proof", 40e6, checker.Unknown, false},
		{"broken", 40e6, checker.Violated, false},
	} {
		page := render(t, killedHolder(c.at, c.verdict))
		if drawn := strings.Contains(page, heading); drawn != c.drawn {
			t.Errorf("%s: drawn %v", c.name, drawn)
		}
		if !c.drawn {
			continue
		}
		last := -1
		for _, want := range []string{`class="seq"`, "Client 0 is inside", "Client 0 is killed while inside",
			"Client 1 is inside: its acquire returned"} {
			at := strings.Index(page[last+1:], want)
			if at < 0 {
				t.Fatalf("%s: %q is missing, or comes before what it should follow", c.name, want)
			}
			last += 1 + at
		}
		if strings.Contains(page, "Client 2 is inside") {
			t.Errorf("%s: a hold is told that came later", c.name)
		}
	}
}

// killedHolder is a run in which client 0 is killed, inside if it is late enough, and then two
// others are granted the lock.
func killedHolder(kill int64, result checker.Result) *store.Run {
	h := &history.History{Header: history.Header{Environment: "test", Impl: "setnx", Nemesis: "crash",
		Clients: 3, Keys: 1}}
	add := func(e history.Event) { h.Events = append(h.Events, e) }
	call := func(process int, f string, from, to int64) {
		add(history.Event{Type: history.Invoke, T: from, Process: process, F: f, N: 1})
		add(history.Event{Type: history.OK, T: to, Process: process, F: f, N: 1})
	}
	fault := func(phase string, t int64) {
		add(history.Event{Type: history.Fault, T: t, Process: history.Harness, F: "crash", Target: "c0",
			Phase: phase, ID: 1})
	}
	if kill < 10e6 {
		fault(history.PhaseFrom, kill)
		fault(history.PhaseTo, kill)
	}
	call(0, history.Acquire, 10e6, 20e6)
	if kill > 20e6 {
		fault(history.PhaseFrom, kill)
		add(history.Event{Type: history.Kill, T: kill, Process: 0})
		fault(history.PhaseTo, kill)
		add(history.Event{Type: history.Exit, T: kill + 1e6, Process: 0, Planned: true})
	} else {
		call(0, history.Release, 50e6, 55e6)
	}
	call(1, history.Acquire, 60e6, 70e6)
	call(1, history.Release, 80e6, 85e6)
	call(2, history.Acquire, 86e6, 90e6)
	call(2, history.Release, 92e6, 95e6)
	add(history.Event{Type: history.End, T: 100e6, Process: history.Harness})
	return &store.Run{History: h, Verdict: &checker.Verdict{Format: checker.Format, Verdict: result}}
}
