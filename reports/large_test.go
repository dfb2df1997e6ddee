package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// bigCycles make 100,000 operations.
const bigCycles = 50_000

// bigRun is made once.
var bigRun = func() func(testing.TB) *store.Run {
	var r *store.Run
	return func(t testing.TB) *store.Run {
		if r == nil {
			r = reporttest.NewRun(t, reporttest.Scene{Clients: 8, Cycles: bigCycles, Fail: true})
		}
		return r
	}
}()

func TestPageStaysSmall(t *testing.T) {
	testenv.SkipRace(t)
	r := bigRun(t)
	if n := reporttest.View(t, r).Operations; n < 2*bigCycles {
		t.Fatalf("only %d operations", n)
	}
	page := render(t, r)
	if len(page) >= 2_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{"To stay small, this page leaves out", "acquire calls one by one",
		"Clients "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestPageStaysSmallWithManyClients(t *testing.T) {
	testenv.SkipRace(t)
	clients := 500
	r := reporttest.NewRun(t, reporttest.Scene{Clients: clients, Fail: true,
		Cycles: 3000, Plan: `{"pad":"` + strings.Repeat("x", 3_000_000) + `"}`})
	page := render(t, r)
	if len(page) >= 2_000_000 ||
		!strings.Contains(page, fmt.Sprintf("the lanes of %d clients", clients-48)) {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// TestPageStaysSmallWhateverTheRecord makes everything too much that a record can have too much of.
func TestPageStaysSmallWhateverTheRecord(t *testing.T) {
	testenv.SkipRace(t)
	long := strings.Repeat("<&\u202e>", 400)
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 60, Fail: true,
		Cycles: 4000, Plan: `{"pad":"` + strings.Repeat("x", 3_000_000) + `"}`})
	h := r.History
	h.Header.Impl, h.Header.Command, h.Header.Versions = long, long, map[string]string{}
	for i := range 5000 {
		h.Header.Versions[fmt.Sprint(i)] = long
		h.Events = append(h.Events, history.Event{Type: history.Fault, T: int64(i) * 1e6,
			Process: history.Harness, F: long + fmt.Sprint(i), Target: fmt.Sprintf("n%d", i%300), ID: 100 +
				i, Phase: history.PhaseFrom})
	}
	for i := range h.Events {
		e := &h.Events[i]
		e.Err = fmt.Sprint(i, long)
		if e.F == history.Acquire {
			e.Keys = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		}
	}
	h.Sort()
	for i := range r.Trace {
		r.Trace[i].Args = append(r.Trace[i].Args, long+fmt.Sprint(i))
		r.Trace[i].Err = long
		r.Trace[i].Node = fmt.Sprintf("n%d", i%300)
	}
	for i := range 200 {
		p := r.Verdict.Properties[0]
		p.Property, p.Explanation = fmt.Sprint(i), strings.Repeat(long, 20)
		r.Verdict.Properties = append(r.Verdict.Properties, p)
	}
	page := render(t, r)
	if len(page) >= 2_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{"To stay small, this page leaves out", "the lanes of 12 clients",
		"Timeline, to scale"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "the timeline</li>") {
		t.Error("the page has no timeline")
	}
}

func TestBigHistoryStaysUsable(t *testing.T) {
	testenv.SkipRace(t)
	b := reporttest.NewBrowser(t)
	open(b, render(t, bigRun(t)))
	press(b, "0")
	if n := reporttest.Eval[int](b, `document.querySelectorAll('.bin').length`); n < 50 {
		t.Errorf("%d sums are drawn", n)
	}
	for range 3 {
		press(b, "+")
		press(b, "-")
	}
	// What is drawn decides how long a step takes; the time itself would be the machine's.
	if nodes := reporttest.Eval[int](b, `document.querySelectorAll('#tl *').length`); nodes > 20_000 {
		t.Errorf("the whole run is drawn with %d elements", nodes)
	}
	b.Clean()
}
