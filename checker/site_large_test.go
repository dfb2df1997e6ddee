package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
)

// siteCase is a sort of run, the property that is judged, and the truth. excuse says, from what
// really happened, why a violation cannot be told from the record; "" if it must be found.
type siteCase struct {
	name, property string
	set            func(w *site)
	violated       func(w *site) bool
	excuse         func(w *site) string
}

var siteCases = []siteCase{
	{"right", "O", func(w *site) { w.overrun = true }, robbery, noExcuse},
	{"right, with lost messages and crashes", "O", func(w *site) {
		w.overrun, w.lose, w.kill = true,
			0.1, 0.02
	}, robbery, noExcuse},
	{"right, with late messages", "O", func(w *site) { w.overrun, w.lose, w.late = true, 0.2, true },
		robbery, noExcuse},
	{"deletes blindly, with late messages", "O", func(w *site) {
		w.overrun, w.lose, w.late,
			w.mistake = true, 0.2, true, deletesBlindly
	}, robbery, robberyExcuse},
	{"knows clients, not acquisitions, with late messages", "O", func(w *site) {
		w.lose, w.late,
			w.mistake = 0.3, true, knowsClients
	}, robbery, robberyExcuse},
	{"right, with late messages and crashes", "R", func(w *site) { w.overrun, w.kill = true, 0.02 },
		orphans, noExcuse},
	{"deletes blindly", "O", func(w *site) { w.overrun, w.mistake = true, deletesBlindly }, robbery,
		robberyExcuse},
	{"deletes blindly, with lost messages", "O", func(w *site) {
		w.overrun, w.lose, w.mistake = true,
			0.05, deletesBlindly
	}, robbery, robberyExcuse},

	{"right", "R", func(w *site) {}, orphans, noExcuse},
	{"right, with overruns", "R", func(w *site) { w.overrun = true }, orphans, noExcuse},
	{"lost messages leave keys", "R", func(w *site) { w.lose = 0.1 }, orphans, orphanExcuse},
	{"gets stuck", "R", func(w *site) { w.mistake = getsStuck }, orphans, orphanExcuse},

	{"right", "D", slow, isStuck, noExcuse},
	{"right, with lost messages, overruns and crashes", "D", func(w *site) {
		slow(w)
		w.overrun,
			w.lose, w.kill = true, 0.1, 0.05
	}, isStuck, noExcuse},
	{"gets stuck", "D", func(w *site) { slow(w); w.mistake = getsStuck }, isStuck, noExcuse},
	{"killed inside a lock without a lease", "D", func(w *site) { w.ttl, w.kill = 0, 0.2 },
		abandonedLock, noExcuse},

	{"right", "E", func(w *site) { w.nest = true }, miscounted, noExcuse},
	{"right, with lost messages, overruns and crashes", "E", func(w *site) {
		w.nest, w.overrun,
			w.lose, w.kill = true, true, 0.1, 0.02
	}, miscounted, noExcuse},
	{"frees at the inner release", "E", func(w *site) {
		w.nest, w.mistake = true,
			freesAtInner
	}, miscounted, noExcuse},
	{"refuses the holder", "E", func(w *site) { w.nest, w.mistake = true, refusesHolder },
		miscounted, noExcuse},

	{"several, right", "L", func(w *site) { w.several, w.overrun, w.lose = true, true, 0.1 },
		bothLeased, noExcuse},
	{"several, right", "S", func(w *site) { w.several, w.lose, w.kill = true, 0.1, 0.02 }, bothInside,
		noExcuse},
	{"several, takes some that are held", "L", func(w *site) {
		w.several, w.mistake = true,
			takesSome
	}, bothLeased, noExcuse},
	{"several, takes some that are held", "S", func(w *site) {
		w.several, w.overrun, w.mistake = true,
			true, takesSome
	}, bothInside, noExcuse},
}

// TestSite compares the checker with the truth of simulated runs: no false alarm, and every
// violation found but those that the record cannot show, which are counted with the reason.
func TestSite(t *testing.T) {
	for _, c := range siteCases {
		t.Run(c.property+" "+c.name, func(t *testing.T) {
			t.Parallel()
			right := strings.Contains(c.name, "right") // two such rows make 100,000 for each property
			n, bad, excused := lineartest.Rounds(testenv.Large(300, 60), 20_000), 0, map[string]int{}
			if right {
				n = lineartest.Rounds(testenv.Large(600, 60), 50_000)
			}
			for seed := range n {
				w := newSite(uint64(seed), 2+seed%3, 1+seed/3%3)
				c.set(w)
				h := w.run()
				trace := w.trace
				if w.several {
					trace = nil
				}
				v := Check(h, trace, Options{Properties: []string{c.property}})
				truth, got := c.violated(w), v.Properties[0].Verdict == Violated
				if v.HarnessError != "" || got && !truth {
					t.Fatalf("seed %d: a false alarm: %+v\n%s", seed, v.Properties[0], v.HarnessError)
				}
				if truth && !got {
					why := c.excuse(w)
					if why == "" {
						t.Fatalf("seed %d: missed; %s (%s)", seed, v.Properties[0].Verdict, v.Properties[0].Reason)
					}
					excused[why]++
				}
				if truth {
					bad++
				}
			}
			if right != (bad == 0) {
				t.Errorf("%d were violated", bad)
			}
			t.Logf("%d histories, %d violated; not to be told from the record: %v", n, bad, excused)
		})
	}
}

func noExcuse(*site) string { return "" }

// slow makes times long beside the second of grace that D gives.
func slow(w *site) { w.unit, w.ttl, w.until, w.locks = 1_000_000, 400_000_000, 5000, w.locks[:1] }

func robbery(w *site) bool { return len(w.facts.robbed) > 0 }

// robberyExcuse says why none of the deletions is certain.
func robberyExcuse(w *site) string {
	reasons := map[string]bool{}
	for _, x := range w.facts.robbed {
		why := w.uncertain(x)
		if why == "" {
			return ""
		}
		reasons[why] = true
	}
	return fmt.Sprint(sortedWords(reasons))
}

func sortedWords(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (w *site) uncertain(x robbed) string {
	m := w.trace[x.command]
	if m.Recv == 0 {
		return "the reply was lost"
	}
	i := slices.IndexFunc(w.stays, func(s stay) bool {
		return s.process == x.owner && s.n == x.n && s.from < m.Sent && min(s.to, s.leased) > m.Recv
	})
	if i < 0 {
		return "its window is not inside the owner's sure lease"
	}
	grant := int64(0)
	for _, k := range w.trace {
		if k.Process == x.owner && k.N == x.n && k.Reply == "OK" {
			grant = k.Sent
		}
	}
	for _, k := range w.trace {
		over := k.Recv != 0 && k.Recv < grant
		if k.Process != x.owner && k.Args[0] == "SET" && k.Args[1] == m.Args[1] && !over &&
			k.Sent < m.Recv && (k.Recv == 0 || k.Reply == "OK" || w.unsure(k.Process, k.N)) {
			return "somebody else may have been granted the key meanwhile"
		}
	}
	return ""
}

// unsure reports whether an acquire call has no known outcome.
func (w *site) unsure(p, n int) bool {
	return !slices.ContainsFunc(w.h.Events, func(e history.Event) bool {
		return e.Process == p && e.N == n && e.F == history.Acquire && (e.Type == history.OK ||
			e.Type == history.Fail)
	})
}

func orphans(w *site) bool { return len(w.facts.orphaned) > 0 }

// orphanExcuse says why no denial is certain: at each of them a client was coming, inside or
// leaving for all that the record says, or its reply was lost.
func orphanExcuse(w *site) string {
	for _, t := range w.facts.orphaned {
		for _, m := range w.trace {
			if m.Args[0] != "SET" || m.Recv == 0 || m.Reply != "(nil)" || t < m.Sent || t > m.Recv {
				continue
			}
			if !w.somebody(m) {
				return ""
			}
		}
	}
	return "its reply was lost, or somebody may have been coming or leaving"
}

func (w *site) somebody(m history.Command) bool {
	open := map[[2]int]int64{}
	for _, e := range w.h.Events {
		id := [2]int{e.Process, e.N}
		switch {
		case e.F == history.Acquire && e.Type == history.Invoke:
			open[id] = e.T
		case e.F == history.Acquire && e.Type == history.Info && e.Process != m.Process &&
			open[id] <= m.Recv && m.Sent <= e.T:
			return true
		}
	}
	return slices.ContainsFunc(w.stays, func(s stay) bool {
		return "lock:"+fmt.Sprint(s.key) == m.Args[1] && open[[2]int{s.process, s.n}] <= m.Recv &&
			m.Sent <= s.gone
	})
}

// isStuck: once the server is stuck, clients try for three seconds more, which is beyond the bound.
func isStuck(w *site) bool { return w.facts.stuck }

// abandonedLock reports whether a client was killed inside and another was refused an acquire that
// it called after it.
func abandonedLock(w *site) bool {
	for _, s := range w.stays {
		if !w.dead[s.process] || s.gone != record.Forever {
			continue
		}
		called := map[[2]int]int64{}
		for _, e := range w.h.Events {
			id := [2]int{e.Process, e.N}
			if e.F == history.Acquire && e.Type == history.Invoke && e.KeyOf() == s.key {
				called[id] = e.T
			}
			if t, ok := called[id]; ok && e.F == history.Acquire && e.Type == history.Fail && t > s.to {
				return true
			}
		}
	}
	return false
}

// miscounted reports whether a holder was refused, or two were inside, with leases, after the first
// one's inner release.
func miscounted(w *site) bool {
	return w.facts.refused > 0 || w.overlap(func(a, b stay) bool {
		to := min(a.to, b.to, a.leased, b.leased)
		return a.innerLeft != 0 && a.from <= b.from && a.innerLeft < b.from && b.from < to
	})
}

func bothLeased(w *site) bool {
	return w.overlap(func(a, b stay) bool {
		return max(a.from, b.from) < min(a.to, b.to, a.leased,
			b.leased)
	})
}

func bothInside(w *site) bool {
	return w.overlap(func(a, b stay) bool { return max(a.from, b.from) < min(a.to, b.to) })
}

func (w *site) overlap(f func(a, b stay) bool) bool {
	for i, a := range w.stays {
		for j, b := range w.stays {
			if i != j && a.process != b.process && a.key == b.key && f(a, b) {
				return true
			}
		}
	}
	return false
}
