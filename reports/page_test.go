package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"
)

func render(t testing.TB, r *store.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, reporttest.View(t, r)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageAnswersFirst(t *testing.T) {
	page := render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"seed":42}`}))
	last := -1
	for _, want := range []string{
		"Can two clients hold the lock getset at once when the master fails over?",
		"<strong class=\"violated\">Yes.</strong>", "both were inside for",
		"Cause:", "n1 did not have the key", "What happened", "S and L: lost by a server",
		"What was tried", "Timeline, to scale", "What it was like for the clients", "passed by",
		"The Redis commands of the clients involved", "SETNX", "Latency of acquire over time",
		"Hold chart", "What the lock declares",
		"lockbench run --impl getset --nemesis failover --seed 42", "7.0.15", "Plan",
	} {
		at := strings.Index(page[last+1:], want)
		if at < 0 {
			t.Fatalf("%q is missing, or comes before what it should follow", want)
		}
		last += 1 + at
	}
}

// TestPageSaysWhatIsKnown looks for what the records of docs say of the lock and the fault.
func TestPageSaysWhatIsKnown(t *testing.T) {
	page := render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"impl":"getset","nemesis":"failover"}`}))
	for _, want := range []string{"How likely, and what to do", "of 20 runs of failover",
		"measured with another lock, token-lua", "--wait-replicas 1", "no client gets in instead",
		"Without an aim", "S in ", " runs (", "per 1,000)",
		"lockbench explore --impl getset --nemesis failover --moments drawn --keep-going",
		"none that keeps clients out stayed clean under"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	page = render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"impl":"mine","nemesis":"failover"}`}))
	if strings.Contains(page, "How likely") {
		t.Error("the page knows of a lock that was never measured")
	}
}

func TestValidPageHasNoRed(t *testing.T) {
	page := render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 40}))
	for _, want := range []string{"Not in this run.", "40 acquisitions, of which 40 were contended",
		"The answer says no more than this."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, bad := range []string{"both inside", "chip violated", `class="overlap"`, "C81E3A"} {
		if strings.Contains(page, bad) {
			t.Errorf("a valid page contains %q", bad)
		}
	}
}

func TestUnknownPageSaysWhatIsMissing(t *testing.T) {
	page := render(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 3}))
	if !strings.Contains(page, "Unknown.") ||
		!strings.Contains(page, "Only 3 acquisitions were contended, and 5 are needed") ||
		!strings.Contains(page, "too few: ") {
		t.Error("the page does not say what was missing")
	}
}

func TestPageOfAlmostNothing(t *testing.T) {
	if _, err := view.New(&store.Run{}); err == nil {
		t.Error("a run without a history has a page")
	}
	for name, r := range map[string]*store.Run{
		"no events":  {History: &history.History{}},
		"not judged": {History: reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 5}).History},
		"no witness": {History: &history.History{}, Verdict: &checker.Verdict{Verdict: checker.Violated,
			Summary: "bad", Properties: []checker.Property{{Property: "D", Verdict: checker.Violated}}}},
		"empty one": {History: &history.History{}, Verdict: &checker.Verdict{Verdict: checker.Violated,
			Properties: []checker.Property{{Property: "S", Verdict: checker.Violated,
				Witness: &checker.Witness{}}}}},
		"broken plan": {History: &history.History{}, Plan: []byte("{")},
	} {
		question := "<h1>Can two clients hold"
		if name == "no witness" { // it judged D alone
			question = "<h1>Does D hold for this lock?"
		}
		if page := render(t, r); !strings.Contains(page, question) {
			t.Errorf("%s: no question", name)
		}
		if err := terminal.Summary(&bytes.Buffer{}, reporttest.View(t, r),
			terminal.Look{Color: true}, terminal.Extra{Verbose: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswerClaimsOnlyWhatWasJudged(t *testing.T) {
	for _, c := range []struct {
		s    checker.Result
		want string
	}{{checker.Valid, "No two clients were inside at once."},
		{checker.Unknown, "this run does not tell"}, {checker.NA, "this run does not tell"}} {
		v := &checker.Verdict{Verdict: checker.Violated, Summary: "Stuck.",
			Properties: []checker.Property{
				{Property: checker.MutualExclusion, Verdict: c.s}, {Property: checker.Deadlock,
					Verdict: checker.Violated, Witness: &checker.Witness{
						Holds: []checker.Hold{{Process: 0, From: 1, To: 9}, {Process: 1, From: 2, To: 8}}}},
			}}
		a := reporttest.View(t, &store.Run{History: &history.History{}, Verdict: v}).Answer()
		if a.Word != "It stays locked." || !strings.Contains(a.Sentence, c.want) {
			t.Errorf("S %s: %+v, want %q", c.s, a, c.want)
		}
	}
}

func TestPageTellsWhatSomebodyExpected(t *testing.T) {
	for _, c := range []struct {
		said, asked, want string
	}{
		{"valid", "", ""}, // the default of a run: the answer says whether it is
		{"S", "", "Expected: S. This is as expected."},
		{"", "violated", "Expected: violated. This is as expected."},
		{"", "", ""}, // a run of a matrix: only its cell says what is expected
	} {
		r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
		r.History.Header.Expect = c.said
		r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Expect: c.asked})
		page := render(t, r)
		if !strings.Contains(page, c.want) || c.want == "" && strings.Contains(page, "xpected") {
			t.Errorf("%q, asked for %q: not %q", c.said, c.asked, c.want)
		}
	}
}

func TestOnlyARedisHasALane(t *testing.T) {
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 4})
	for _, target := range []string{"c0>*", "*>n0", "c1+>n1", "spare", "*", nemesis.Hit, "c1",
		"n2>n0"} {
		r.History.Events = append(r.History.Events, history.Event{Type: history.Fault,
			Process: history.Harness, F: "x", Phase: history.PhaseFrom, Target: target})
	}
	var names []string
	for _, n := range reporttest.View(t, r).Redis() {
		names = append(names, n.Name)
	}
	if got := strings.Join(names, " "); got != "n0 n1 n2" {
		t.Errorf("lanes for %s", got)
	}
}

// TestTheRolesOfAStoryAreInItsReport kills a client of a run of the story before another one
// deletes the key of a third: each role stands in the picture and the story, and the one that was
// killed has a lifeline.
func TestTheRolesOfAStoryAreInItsReport(t *testing.T) {
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true,
		Plan: `{"format":2,"story":"p1p2p3"}`})
	w := r.Verdict.Property(checker.MutualExclusion).Witness
	p2, p3 := w.Holds[0], w.Holds[1]
	p1 := slices.IndexFunc([]int{0, 1, 2, 3}, func(p int) bool {
		return p != p2.Process && p != p3.Process
	})
	r.History.Events = slices.DeleteFunc(r.History.Events, func(e history.Event) bool {
		return e.Process == p1
	})
	r.History.Events = append(r.History.Events, acquired(p1, 1e3, 2e3)...)
	r.History.Events = append(r.History.Events, history.Event{Type: history.Kill, T: 3e3,
		Process: p1})
	r.History.Sort()
	w.Commands = []checker.WitnessCommand{{Kind: verdict.ForeignDelete, Command: history.Command{
		Process: p3.Process, Node: "n0", Sent: p2.From, Args: []string{"DEL", "lock:0"}}}}
	for i := range r.Verdict.Properties {
		p := &r.Verdict.Properties[i]
		p.Witness, p.Explanation = w, fmt.Sprintf("Client %d was killed.", p1)
	}
	page := render(t, r)
	for role, p := range map[string]int{"P1": p1, "P2": p2.Process, "P3": p3.Process} {
		if !strings.Contains(page, fmt.Sprintf(">%s, </tspan>client %d</text>", role, p)) ||
			!strings.Contains(page, fmt.Sprintf("%s is client %d", role, p)) {
			t.Errorf("client %d is not %s in the picture or in the facts", p, role)
		}
	}
	if want := fmt.Sprintf("Client %d (P1) was killed.", p1); !strings.Contains(page, want) {
		t.Errorf("the story does not say %q", want)
	}
}

// acquired are the events of a grant to a client.
func acquired(process int, call, back int64) []history.Event {
	e := history.Event{Type: history.Invoke, T: call, Process: process, F: history.Acquire, N: 1,
		Key: history.Ptr(0)}
	granted := e
	granted.Type, granted.T, granted.Grant = history.OK, back, &history.Grant{Sent: call, Lease: 2e9}
	return []history.Event{e, granted}
}
