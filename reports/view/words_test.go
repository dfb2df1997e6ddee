package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// said is all that a view says of a run in words.
func said(v *view.View) string {
	var b strings.Builder
	a := v.Answer()
	fmt.Fprintf(&b, "%s\n%s %s (%s)\n%s\n", v.Question(), a.Word, a.Sentence, a.State(), v.Subtitle())
	for _, p := range v.Properties() {
		fmt.Fprintf(&b, "property %+v\n", p)
	}
	for _, e := range v.Evidence() {
		fmt.Fprintf(&b, "evidence %+v\n", e)
	}
	for _, d := range v.Declares() {
		fmt.Fprintf(&b, "declares %+v %s %s\n", d, d.State(), d.Symbol())
	}
	for _, w := range v.Violations {
		fmt.Fprintf(&b, "violation %s / %s / %s\n", w.Title(), w.Label(), w.Sentence())
	}
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "fault %s / %s\n", f.Name(), f.Words())
	}
	for _, c := range v.Caveats() {
		fmt.Fprintf(&b, "caveat %s\n", c)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, s := range map[string]reporttest.Scene{"violated": {Clients: 4, Cycles: 14, Fail: true},
		"valid": {Clients: 4, Cycles: 40}, "unknown": {Clients: 4, Cycles: 3}} {
		r := reporttest.NewRun(t, s)
		for i := range r.Verdict.Properties { // the checker's to write, and to test
			r.Verdict.Properties[i].Explanation = ""
		}
		golden.Compare(t, name+".txt", said(reporttest.View(t, r)))
	}
}

// TestNothingHostileIsSaid looks for what a terminal or a reader would obey in all that is said.
func TestNothingHostileIsSaid(t *testing.T) {
	all := said(reporttest.View(t, reporttest.HostileRun(t)))
	if i := strings.IndexAny(all, "\x00\x1b\u202e\u2028"); i >= 0 {
		t.Errorf("…%q…", all[max(0, i-40):i+10])
	}
}

func event(typ history.Type, t int64, process int, f string) history.Event {
	return history.Event{Type: typ, T: t, Process: process, F: f, N: 1}
}

func fault(t int64, id int, action, target string) history.Event {
	return history.Event{Type: history.Fault, T: t, Process: history.Harness, F: action,
		Target: target, ID: id, Phase: history.PhaseFrom}
}

func viewOf(t *testing.T, header history.Header, events ...history.Event) *view.View {
	t.Helper()
	events = append(events, history.Event{Type: history.End, T: 100e6, Process: history.Harness})
	return reporttest.View(t, &store.Run{History: &history.History{Header: header, Events: events}})
}

func TestFaultsInWords(t *testing.T) {
	for _, c := range []struct{ action, target, plan, name, words string }{
		{"kill", "n0", "", "kill n0", "n0 was killed"},
		{"pause", "c2", "", "pause client 2", "Client 2 was paused"},
		{"cut", "c1>n0", "", "cut client 1's link to n0", "Client 1's link to n0 was cut"},
		{"drop", "c1", "", "drop a command of client 1", "The next command of client 1 was to be lost"},
		{"strand", "c1", "", "strand a reply to client 1",
			"The reply to the next command of client 1 was to be lost"},
		{"duplicate", "c1", "", "duplicate a command of client 1",
			"The next command of client 1 was to arrive twice"},
		{"redirect", "spare", "", "redirect spare", "Newer connections took the second links"},
		{"node-clock", "n1", `{"do":"node-clock","offset":"2.5s"}`, "node-clock n1 +2.50 s",
			"The clock of n1 was moved by +2.50 s"},
		{"client-clock", "c0", `{"do":"kill"},{"do":"client-clock","offset":"-1s","rate":0.01}`,
			"client-clock client 0 −1.00 s +0.01 s/s",
			"The clock of client 0 was moved by −1.00 s +0.01 s/s"},
		{"meteor", "n0", "", "meteor n0", `The fault "meteor" hit n0`},
	} {
		v := viewOf(t, history.Header{}, fault(1e6, 1, c.action, c.target))
		v.Run.Plan = []byte(`{"scenario":[` + c.plan + `]}`)
		f := reporttest.View(t, v.Run).Faults[0]
		if f.Name() != c.name || f.Words() != c.words {
			t.Errorf("%s %s: %q, %q", c.action, c.target, f.Name(), f.Words())
		}
	}
}

// TestTheRecordSaysWhatAClockWasSetTo: the plan is asked only if the record does not tell.
func TestTheRecordSaysWhatAClockWasSetTo(t *testing.T) {
	e := fault(1e6, 1, "node-clock", "n1")
	e.Offset = history.Ptr(history.Duration(time.Second))
	v := viewOf(t, history.Header{}, e)
	v.Run.Plan = []byte(`{"scenario":[{"do":"node-clock","offset":"2.5s"}]}`)
	if got := reporttest.View(t, v.Run).Faults[0].Name(); got != "node-clock n1 +1.00 s" {
		t.Error(got)
	}
}

func TestQuestions(t *testing.T) {
	for _, c := range []struct{ impl, fault, want string }{
		{"", "", "Can two clients hold this lock at once?"},
		{"setnx", "pause", "Can two clients hold the lock setnx at once when a client is paused?"},
		{"setnx", "pause:short",
			"Can two clients hold the lock setnx at once when a client is paused for a moment?"},
		{"", "failover:healthy,pause", "Can two clients hold this lock at once under the faults " +
			"failover:healthy and pause?"},
		{"", "meteor", "Can two clients hold this lock at once under the fault meteor?"},
	} {
		v := viewOf(t, history.Header{Impl: c.impl, Nemesis: c.fault})
		if got := v.Question(); got != c.want {
			t.Errorf("%s, %s: %q", c.impl, c.fault, got)
		}
	}
}

// TestTheQuestionOfValidity: a run that V alone turns red was not asked about two clients at once.
func TestTheQuestionOfValidity(t *testing.T) {
	v := viewOf(t, history.Header{Impl: "redlock", Nemesis: "pause"})
	property := func(letter string) checker.Property {
		return checker.Property{Property: letter, Verdict: checker.Violated}
	}
	v.Verdict = &checker.Verdict{Verdict: checker.Violated,
		Properties: []checker.Property{{Property: checker.MutualExclusion, Verdict: checker.Valid},
			property(checker.Validity)}}
	want := "Is a grant of the lock redlock still valid on arrival when a client is paused?"
	if got, word := v.Question(), v.Answer().Word; got != want || word != "No." {
		t.Errorf("%s %s", got, word)
	}
	v.Verdict.Properties = append(v.Verdict.Properties, property(checker.OwnerRelease))
	if got := v.Question(); !strings.HasPrefix(got, "Can two clients hold") {
		t.Error(got)
	}
}

func TestMarksAndEndings(t *testing.T) {
	acquired := []history.Event{event(history.Invoke, 1e6, 0, history.Acquire),
		event(history.OK, 2e6, 0, history.Acquire)}
	release := event(history.Invoke, 5e6, 0, history.Release)
	for _, c := range []struct {
		name, mark, ending string
		orderly            bool
		events             []history.Event
	}{
		{"killed", "killed by the harness", "killed", false,
			[]history.Event{event(history.Kill, 5e6, 0, "")}},
		{"gone", "process gone, which the plan does not say", "gone", false,
			[]history.Event{event(history.Exit, 5e6, 0, "")}},
		{"told", "told that the hold is over: gone", "open", false,
			[]history.Event{{Type: history.Lost, T: 5e6, F: history.Acquire, N: 1, Err: "gone"}}},
		{"stalled", "did not run for 2.0 ms", "open", false,
			[]history.Event{{Type: history.Gap, T: 5e6, Gap: 2e6}}},
		{"released", "", "released", true,
			[]history.Event{release, event(history.OK, 6e6, 0, history.Release)}},
		{"refused", "", "release refused", false,
			[]history.Event{release, event(history.Fail, 6e6, 0, history.Release)}},
		{"unanswered", "", "release unknown", false, []history.Event{release}},
		{"again", "", "acquired again without a release", false,
			[]history.Event{event(history.Invoke, 5e6, 0, history.Acquire)}},
	} {
		v := viewOf(t, history.Header{Clients: 1}, append(acquired[:2:2], c.events...)...)
		mark := ""
		for _, e := range v.Marks {
			mark += v.MarkText(e)
		}
		h := &v.Holds[0]
		if mark != c.mark || view.Ending(h) != c.ending || view.Orderly(h) != c.orderly {
			t.Errorf("%s: %q, %q, orderly %v", c.name, mark, view.Ending(h), view.Orderly(h))
		}
	}
}

// TestPollsAreJoined keeps the first and the last round of a question, and counts those between.
func TestPollsAreJoined(t *testing.T) {
	command := func(at int64, process int, reply string, args ...string) history.Command {
		return history.Command{Process: process, Node: "n0", Sent: at, Recv: at + 1, Args: args,
			Reply: reply}
	}
	var cs []history.Command
	for i := range int64(5) { // two clients ask in turn, one of them in rounds of two commands
		cs = append(cs, command(10*i, 0, "0", "SETNX", "lock:0", fmt.Sprint(i)),
			command(10*i+1, 0, "1792000002080", "GET", "lock:0"),
			command(10*i+2, 1, "(nil)", "SET", "lock:0", "x", "NX"))
	}
	cs = append(cs, command(60, 0, "1", "SETNX", "lock:0", "9"))
	var got []string
	for _, p := range view.Group(cs) {
		got = append(got, fmt.Sprintf("%d client %d %s %s +%d", p.Sent, p.Process, p.Args[0],
			view.ReplyOf(p.Command, 5), p.More))
	}
	want := []string{"0 client 0 SETNX 0 +0", "1 client 0 GET 17920… +3", "2 client 1 SET (nil) +3",
		"40 client 0 SETNX 0 +0", "41 client 0 GET 17920… +0", "42 client 1 SET (nil) +0",
		"60 client 0 SETNX 1 +0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestReplies(t *testing.T) {
	for want, c := range map[string]history.Command{"error: i/o timeout": {Err: "i/o timeout"},
		"no reply": {}, "(empty)": {Recv: 1}, "abc…": {Recv: 1, Reply: "abcdef"}} {
		limit := 20
		if c.Reply != "" {
			limit = 3
		}
		if got := view.ReplyOf(c, limit); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// TestLanesAreOfThoseWhoTakePart bounds the lanes, and leaves out no client of a violation.
func TestLanesAreOfThoseWhoTakePart(t *testing.T) {
	witness := &checker.Witness{Holds: []checker.Hold{{Process: 70, N: 1, From: 1, To: 9},
		{Process: 90, N: 1, From: 2, To: 8}}}
	v := reporttest.View(t, &store.Run{History: &history.History{Header: history.Header{Clients: 100}},
		Verdict: &checker.Verdict{Properties: []checker.Property{{Property: "S",
			Verdict: checker.Violated, Witness: witness}}}})
	lanes := v.Lanes()
	if len(lanes) != view.MaxLanes || lanes[46] != 70 || lanes[47] != 90 || lanes[45] != 45 {
		t.Errorf("lanes %v", lanes)
	}
}

// TestAViolationsTime says which time a timeline marks, and which a story tells.
func TestAViolationsTime(t *testing.T) {
	hold := func(p int, from, to int64) checker.Hold {
		return checker.Hold{Process: p, N: 1, From: from, To: to}
	}
	del := checker.WitnessCommand{Command: history.Command{Process: 1, Sent: 30, Recv: 35,
		Args: []string{"DEL", "lock:0"}}}
	expiry := checker.WitnessCommand{Command: history.Command{Sent: 40}, Effect: "it expired"}
	for _, c := range []struct {
		name, property string
		witness        checker.Witness
		when, extent   [2]int64
		processes      []int
	}{
		{"two inside", "S", checker.Witness{Holds: []checker.Hold{hold(0, 10, 30), hold(1, 20, 50)}},
			[2]int64{20, 30}, [2]int64{20, 30}, []int{0, 1}},
		{"one after the other", "F", checker.Witness{Holds: []checker.Hold{hold(0, 10, 20),
			hold(1, 25, 50)}}, [2]int64{25, 25}, [2]int64{10, 50}, []int{0, 1}},
		{"a foreign release", "O", checker.Witness{Holds: []checker.Hold{hold(0, 10, 50)},
			Commands: []checker.WitnessCommand{del, expiry}}, [2]int64{30, 35}, [2]int64{10, 50},
			[]int{0, 1}},
		{"commands only", "R", checker.Witness{Commands: []checker.WitnessCommand{del, expiry}},
			[2]int64{30, 35}, [2]int64{30, 40}, []int{1}},
		{"without an end", "D", checker.Witness{Holds: []checker.Hold{hold(2, 10, record.Forever)}},
			[2]int64{10, 100e6}, [2]int64{10, 100e6}, []int{2}},
	} {
		run := viewOf(t, history.Header{Clients: 3}).Run
		run.Verdict = &checker.Verdict{Properties: []checker.Property{{Property: c.property,
			Verdict: checker.Violated, Witness: &c.witness}}}
		v := reporttest.View(t, run)
		w := v.First()
		var when, extent [2]int64
		when[0], when[1] = w.When(v)
		extent[0], extent[1] = w.Extent(v)
		want, got := []any{c.when, c.extent, c.processes}, []any{when, extent, w.Processes()}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		for p := range 3 {
			if in := strings.Contains(fmt.Sprint(c.processes), fmt.Sprint(p)); w.Has(p) != in {
				t.Errorf("%s: client %d takes part: %v", c.name, p, w.Has(p))
			}
		}
	}
}

// TestRolesFollowTheFaults draws what became of a node.
func TestRolesFollowTheFaults(t *testing.T) {
	healed := func(at int64, id int) history.Event {
		e := fault(at, id, "", "")
		e.Phase = history.PhaseTo
		return e
	}
	v := viewOf(t, history.Header{Topology: "failover"}, fault(10e6, 1, "kill", "n0"),
		fault(15e6, 2, "promote", "n1"), healed(20e6, 2), healed(30e6, 1),
		fault(40e6, 3, "pause-node", "n1"), healed(50e6, 3))
	var got []string
	for _, n := range v.Redis() {
		for _, r := range n.Roles {
			got = append(got, fmt.Sprintf("%s %d-%d %s", n.Name, r.From/1e6, r.To/1e6, r.Name))
		}
	}
	want := []string{"n0 0-10 master", "n0 10-30 down", "n0 30-100 master", "n1 0-20 replica",
		"n1 20-40 master", "n1 40-50 paused", "n1 50-100 master"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestPromises sets what a lock declares against what happened to it.
func TestPromises(t *testing.T) {
	grant := func(at int64, n int, lease history.Duration, token int64) []history.Event {
		call, back := event(history.Invoke, at, 0, history.Acquire), event(history.OK, at+1e6, 0,
			history.Acquire)
		release := event(history.Invoke, at+20e6, 0, history.Release)
		done := event(history.OK, at+21e6, 0, history.Release)
		back.Grant = &history.Grant{Sent: at, Lease: lease, Token: token,
			ValidUntil: at + 15e6}
		call.N, back.N, release.N, done.N = n, n, n, n
		return []history.Event{call, back, release, done}
	}
	header := history.Header{Clients: 1, TTL: 10e6, Declares: history.Declares{Lease: true,
		Fencing: true, Validity: true}}
	v := viewOf(t, header, append(grant(1e6, 1, 10e6, 7), grant(40e6, 2, 50e6, 7)...)...)
	v.Verdict = &checker.Verdict{Properties: []checker.Property{
		{Property: checker.Fencing, Verdict: checker.Violated},
		{Property: checker.Deadlock, Verdict: checker.Valid}}}
	rows := map[string]view.DeclareRow{}
	for _, d := range v.Declares() {
		rows[d.Promise] = d
	}
	for promise, want := range map[string]view.DeclareRow{
		"Asked of every lock: two clients are never inside at once": {
			Happened: "no two were seen inside at once",
			Kept:     "not put to the test"},
		"A hold ends by itself after a time (lease)": {Kept: "kept",
			Happened: "in 1 hold the client stayed inside after its lease of 10 ms; " +
				"the longest took 19 ms"},
		"Each grant says until when it is good": {Kept: "not put to the test",
			Happened: "in 2 holds the client stayed inside longer than promised"},
		"Each grant carries a growing token": {Kept: "broken",
			Happened: "2 grants with a token, 1 not above the one before"},
		"Not re-entrant": {Happened: "–"},
	} {
		want.Promise = promise
		if d := cmp.Diff(want, rows[promise]); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}

// aimless is the verdict of a run whose fault missed, with what S says and the number of grants.
func aimless(reason string, grants int) *checker.Verdict {
	return &checker.Verdict{Evidence: checker.Evidence{Acquisitions: grants,
		Missed: []string{"kill n0"}}, Properties: []checker.Property{{
		Property: checker.MutualExclusion, Verdict: checker.Unknown, Reason: reason}}}
}

// TestAnswers answers for verdicts that no simple run has.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name         string
		verdict      *checker.Verdict
		word, phrase string
	}{
		{"not judged", nil, "Not judged.", "lockbench check makes one"},
		{"not asked", &checker.Verdict{Verdict: checker.NA, Summary: "nothing applies"}, "Not asked.",
			"Nothing applies."},
		{"broke", &checker.Verdict{HarnessError: "no room"}, "Unknown.", "No room"},
		{"silent", &checker.Verdict{}, "Unknown.", "The run does not tell."},
		{"a reason", &checker.Verdict{Properties: []checker.Property{{Verdict: checker.Unknown,
			Reason: "the machine stalled"}}}, "Unknown.", "The machine stalled"},
		{"too little", &checker.Verdict{Evidence: checker.Evidence{Contended: 2}}, "Unknown.",
			"2 of the 5 contended acquisitions that it needs"},
		{"missed, without a grant", aimless("no call was granted the lock", 0), "Unknown.",
			"No call was granted the lock"},
		{"missed, since the lock ended its process", aimless("the lock ended its process", 3),
			"Unknown.", "The lock ended its process"},
		{"missed", aimless("", 3), "Unknown.",
			"The fault missed: 0 of 1 planned fault hit a hold while another client waited. Run it again " +
				"with another --seed."},
		{"untested", &checker.Verdict{Evidence: checker.Evidence{Acquisitions: 3, Hits: 1,
			Untested: []string{"kill n0"}}}, "Unknown.", "No other client tried after the fault: none was " +
			"answered by the new master before the holder left. Run it again with longer holds: --hold 1s."},
		{"a member", &checker.Verdict{Evidence: checker.Evidence{Acquisitions: 3, Hits: 1,
			Untested: []string{"cut n1"}}}, "Unknown.", "none was answered by the members that are left " +
			"before the holder left. Run it again with longer holds: --ttl 4s --hold 2s."},
		{"valid", &checker.Verdict{Verdict: checker.Valid, Evidence: checker.Evidence{Acquisitions: 9,
			Contended: 8, Aimed: 2, Hits: 2, AfterFailover: 1}}, "Not in this run.",
			"2 of 2 planned faults hit a hold while another client waited; the new master granted 1 time"},
		{"a grant withheld", &checker.Verdict{Verdict: checker.Valid, Evidence: checker.Evidence{
			Acquisitions: 9, Contended: 8, Aimed: 1, Hits: 1, Withheld: 58, AfterFailover: 1}},
			"Not in this run.", "of which 8 were contended; the new master granted 1 time. Before the " +
				"server died, too few replicas had 58 grants, and no client entered on them. The fault " +
				"struck no hold that enough replicas had confirmed and another client waited for, so the " +
				"run does not show whether a failover keeps such a hold. The answer"},
		{"a grant withheld from one of two faults", &checker.Verdict{Verdict: checker.Valid,
			Evidence: checker.Evidence{Acquisitions: 9, Contended: 8, Aimed: 2, Hits: 2, Withheld: 1}},
			"Not in this run.", "had 1 grant, and no client entered on it. The answer"},
	} {
		header := history.Header{TTL: history.Duration(2 * time.Second)}
		switch c.name {
		case "too little":
			header.Requires.Contended = 5
		case "missed", "untested", "missed, without a grant":
			header.Requires.Hits = 1
		case "a member":
			header.Requires.Hits, header.Topology, header.Nemesis = 1, "ensemble", "member-loss:cut"
		}
		run := viewOf(t, header).Run
		if c.name == "missed, since the lock ended its process" {
			header.Requires.Hits = 1
			run = viewOf(t, header, history.Event{Type: history.Exit, Signal: "interrupt"}).Run
		}
		if c.name == "a member" {
			run.Plan = []byte(`{"hold":"1s"}`)
		}
		run.Verdict = c.verdict
		a := reporttest.View(t, run).Answer()
		if a.Word != c.word || !strings.Contains(a.Sentence, c.phrase) {
			t.Errorf("%s: %s %s", c.name, a.Word, a.Sentence)
		}
	}
}

// TestAViolationBeforeItsFault: the question names a fault, and the answer says if it never began.
func TestAViolationBeforeItsFault(t *testing.T) {
	for _, c := range []struct {
		aimed  int
		events []history.Event
		want   bool
	}{
		{1, nil, true},
		{0, nil, false}, // none was planned
		{1, []history.Event{fault(1e6, 1, "pause", "c0")}, false},
	} {
		run := viewOf(t, history.Header{}, c.events...).Run
		run.Verdict = &checker.Verdict{Verdict: checker.Violated,
			Evidence: checker.Evidence{Aimed: c.aimed}}
		a := reporttest.View(t, run).Answer()
		if strings.Contains(a.Sentence, "No fault had begun") != c.want {
			t.Errorf("%d aimed, %d events: %s", c.aimed, len(c.events), a)
		}
	}
}

// TestWhatIsToldOfAnEnvironment tells where a run took place, and what its links do otherwise.
func TestWhatIsToldOfAnEnvironment(t *testing.T) {
	cut := fault(1e6, 1, "cut", "c0>n0")
	for environment, caveats := range map[string]int{"sim": 0, "process": 1} {
		v := viewOf(t, history.Header{Clients: 2, Environment: environment,
			Versions: map[string]string{"redis": "7.0.15"}, Started: "2026-11-21T12:00:00.123Z"}, cut)
		want := "2 clients · 1 lock · environment " + environment +
			" · Redis 7.0.15 · 2026-11-21 12:00:00 UTC"
		if v.Subtitle() != want || len(v.Caveats()) != caveats {
			t.Errorf("%s, and %d caveats", v.Subtitle(), len(v.Caveats()))
		}
	}
	if got := viewOf(t, history.Header{Started: "once"}).Subtitle(); got !=
		"0 clients · 1 lock · an imported history · once" {
		t.Error(got)
	}
}

// TestTheAdapterOfARun: as a command takes it.
func TestTheAdapterOfARun(t *testing.T) {
	for plan, want := range map[string]string{`{}`: "", `{"adapter": {"name": "redisson"}}`: "redisson",
		`{"adapter": {"name": "mine", "dir": "/home/me/lock"}}`: "/home/me/lock", `no plan`: ""} {
		v := reporttest.View(t, &store.Run{History: &history.History{}, Plan: []byte(plan)})
		if got := v.Adapter(); got != want {
			t.Errorf("%s: %q", plan, got)
		}
	}
}

// TestSettingsOfTheRunAreNamed wants what differs from the defaults, and how long a hold is, in the
// line below the question.
func TestSettingsOfTheRunAreNamed(t *testing.T) {
	v := reporttest.View(t, &store.Run{History: &history.History{},
		Plan: []byte(`{"hold": "5s", "replicas": 2, "wait_replicas": 1, "no_watchdog": true,` +
			`"redis_config": ["appendonly", "yes"]}`)})
	want := "hold 5.00 s · --replicas 2 · --wait-replicas 1 · --redis-config appendonly=yes · " +
		"--watchdog=false"
	if !strings.Contains(v.Subtitle(), want) {
		t.Errorf("%s does not contain %s", v.Subtitle(), want)
	}
}

// TestARestartNamesItsSystem, and says of Redis that it had nothing on its disk.
func TestARestartNamesItsSystem(t *testing.T) {
	header := history.Header{Impl: "mine", Nemesis: "restart", Environment: "sim"}
	again := fault(1e6, 1, nemesis.KillNode, "n0")
	for _, c := range []struct {
		plan, asks string
		caveats    int
	}{
		{`{}`, "when Redis restarts?", 1},
		{`{"redis_config": ["appendonly", "yes"]}`, "when Redis restarts?", 0},
		{`{"adapter": {"system": "etcd"}}`, "when etcd restarts?", 0},
		{`{"adapter": {"system": "postgres"}}`, "when PostgreSQL restarts?", 0},
	} {
		end := again
		end.T, end.Phase = 2e6, history.PhaseTo
		v := viewOf(t, header, again, end)
		v.Plan = []byte(c.plan)
		if q := v.Question(); !strings.HasSuffix(q, c.asks) || len(v.Caveats()) != c.caveats {
			t.Errorf("%s: %s %q", c.plan, q, v.Caveats())
		}
	}
}
