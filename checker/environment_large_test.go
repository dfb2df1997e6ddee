package checker

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
)

// environmentKinds are sorts of runs.
var environmentKinds = map[string]func(w *environment){
	"correct":         func(w *environment) {},
	"lossy":           func(w *environment) { w.lose = 0.2 },
	"overrun":         func(w *environment) { w.overrun, w.lose = true, 0.1 },
	"crashes":         func(w *environment) { w.kill, w.lose = 0.2, 0.1 },
	"without leases":  func(w *environment) { w.ttl, w.lose = 0, 0.05 },
	"planted":         func(w *environment) { w.plant, w.lose = 2+w.r.IntN(5), 0.1 },
	"planted, no ttl": func(w *environment) { w.plant, w.ttl = 2+w.r.IntN(5), 0 },
	"planted, crash":  func(w *environment) { w.plant, w.kill, w.overrun = 2+w.r.IntN(5), 0.1, true },
}

// TestEnvironment compares the checker with the truth: S is violated if and only if two clients
// were really inside at once, L if and only if so while both leases surely ran.
func TestEnvironment(t *testing.T) {
	for kind, set := range environmentKinds {
		t.Run(kind, func(t *testing.T) {
			bad := [2]int{}
			n := lineartest.Rounds(testenv.Large(600, 60), 100_000)
			for seed := range n {
				w := newEnvironment(uint64(seed), 2+seed%4, 4+seed%12)
				set(w)
				h := w.run()
				s, l := w.truth()
				v := Check(h, nil, Options{Properties: []string{"S", "L"}})
				sees(t, seed, "S", s, v)
				sees(t, seed, "L", l, v)
				if s {
					bad[0]++
				}
				if l {
					bad[1]++
				}
				watches(t, seed, h, v, w.r)
			}
			t.Logf("%d histories; S violated in %d, L in %d", n, bad[0], bad[1])
		})
	}
}

func sees(t *testing.T, seed int, letter string, truth bool, v *Verdict) {
	t.Helper()
	got := v.Property(letter).Verdict
	if truth != (got == Violated) || v.HarnessError != "" || !truth && got != Valid &&
		v.Evidence.Acquisitions > 0 {
		t.Fatalf("seed %d: %s is %s, in truth violated: %v\n%s\n%s", seed, letter, got, truth, v.Summary,
			v.HarnessError)
	}
}

// watches feeds the monitor with the events of a history, interleaved with delays, and compares it
// with the verdict.
func watches(t *testing.T, seed int, h *history.History, v *Verdict, r *rand.Rand) {
	t.Helper()
	m := NewMonitor(h.Header)
	for _, e := range delayed(h.Events, r) {
		m.Add(e)
	}
	for _, letter := range m.Violated() {
		if v.Property(letter).Verdict != Violated {
			t.Fatalf("seed %d: the monitor cries %s, the verdict is %s", seed, letter,
				v.Property(letter).Verdict)
		}
	}
	for _, letter := range []string{"S", "L"} {
		p := v.Property(letter)
		if p.Verdict == Violated && !slices.Contains(m.Violated(), letter) && !lastsToTheEnd(h, p) {
			t.Fatalf("seed %d: the monitor missed %s\n%s", seed, letter, p.Explanation)
		}
	}
}

// lastsToTheEnd reports whether a hold of the witness had not ended when the record did: the
// monitor cannot know of it.
func lastsToTheEnd(h *history.History, p Property) bool {
	for _, w := range p.Witness.Holds {
		if !slices.ContainsFunc(h.Events, func(e history.Event) bool {
			return e.Process == w.Process && (e.Type == history.Invoke && e.F == history.Release &&
				e.N == w.N || e.Type == history.Kill)
		}) {
			return true
		}
	}
	return false
}

// delayed interleaves the events of several processes anew, each in its order, as pipes deliver
// them.
func delayed(events []history.Event, r *rand.Rand) []history.Event {
	var out []history.Event
	left := slices.Clone(events)
	for len(left) > 0 {
		i := r.IntN(min(len(left), 3))
		for j := range left[:i] {
			if left[j].Process == left[i].Process || left[i].Type == history.End ||
				left[j].Type == history.Kill {
				i = j
				break
			}
		}
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

// TestEnvironmentAsAnImport judges histories of a lock without leases by the models for imports,
// also after a round trip through EDN.
func TestEnvironmentAsAnImport(t *testing.T) {
	for seed := range lineartest.Rounds(testenv.Large(300, 60), 20_000) {
		w := newEnvironment(uint64(seed), 2+seed%4, 4+seed%8)
		w.ttl = 0
		if seed%2 == 0 {
			w.plant = 3
		}
		h := w.run()
		for _, model := range []string{"mutex", "reentrant"} {
			v := Check(h, nil, Options{Model: model})
			s, _ := w.truth()
			if w.planted && !s {
				continue // the server erred, and shows it to whom it refuses the release
			}
			if s != (v.Properties[0].Verdict == Violated) {
				t.Fatalf("seed %d: %s is %s, in truth violated: %v\n%s%s", seed, model, v.Properties[0].Verdict,
					s, v.Summary, v.HarnessError)
			}
		}
		var b bytes.Buffer
		if err := edn.Write(&b, h, edn.Options{}); err != nil {
			t.Fatal(err)
		}
		back, err := edn.ReadAny(&b, edn.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if s, _ := w.truth(); s == w.planted && s != (Check(back, nil, Options{}).Verdict == Violated) {
			t.Fatalf("seed %d: after a round trip through EDN the verdict differs", seed)
		}
	}
}

// TestEnvironmentAsALease judges correct histories with leases by the lease model: never a false
// alarm, and the two checks agree.
func TestEnvironmentAsALease(t *testing.T) {
	for kind, set := range environmentKinds {
		if kind == "planted, no ttl" || kind == "without leases" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			bad := 0
			for seed := range lineartest.Rounds(testenv.Large(200, 40), 20_000) {
				w := newEnvironment(uint64(seed), 2+seed%4, 4+seed%8)
				set(w)
				h := w.run()
				v := Check(h, nil, Options{Model: "lease"})
				p := v.Properties[0]
				if v.HarnessError != "" || w.plant == 0 && p.Verdict == Violated {
					t.Fatalf("seed %d: %s %s\n%+v", seed, v.Summary, v.HarnessError, p)
				}
				if _, l := w.truth(); l && p.Verdict != Violated {
					t.Fatalf("seed %d: missed a double grant: %+v", seed, p)
				}
				if p.Verdict == Violated {
					bad++
				}
			}
			t.Logf("%d violated", bad)
		})
	}
}
