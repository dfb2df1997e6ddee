package harness_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// fake is an environment in which a perfect lock is granted in turn and time passes only when the
// harness waits. It notes what is done to it.
type fake struct {
	now    int64
	queue  []scheduled
	holder int   // -1: free
	line   []int // who waits, in order
	cycle  map[int]workloads.Order
	armed  map[int]workloads.Breakpoint // armed for the phase granted
	done   []string
	kills  time.Duration                 // how long it takes to kill a node
	lease  time.Duration                 // of each grant; 0: it has none
	after  func(*fake, workloads.Report) // called for each report that the harness is given
}

type scheduled struct {
	at int64
	r  workloads.Report
}

func newFake() *fake {
	return &fake{holder: -1, cycle: map[int]workloads.Order{}, armed: map[int]workloads.Breakpoint{}}
}

func (f *fake) Name() string                { return "fake" }
func (f *fake) Versions() map[string]string { return nil }
func (f *fake) Now() int64                  { return f.now }
func (f *fake) KillNode(n string) error {
	f.done = append(f.done, "kill "+n)
	f.now += int64(f.kills)
	return nil
}
func (f *fake) StartNode(string) error { return nil }
func (f *fake) KillClient(c int) error {
	f.done = append(f.done, "crash")
	f.later(0, workloads.Report{Process: c, Exit: &workloads.Exit{T: f.now}})
	return nil
}

func (f *fake) later(d time.Duration, r workloads.Report) {
	f.queue = append(f.queue, scheduled{f.now + int64(d), r})
	slices.SortStableFunc(f.queue, func(a, b scheduled) int { return cmp.Compare(a.at, b.at) })
}

func (f *fake) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	if len(f.queue) == 0 || f.queue[0].at > deadline || ctx.Err() != nil {
		f.now = max(f.now, deadline)
		return workloads.Report{}, false
	}
	s := f.queue[0]
	f.queue = f.queue[1:]
	f.now = max(f.now, s.at)
	if s.r.Event != nil {
		s.r.Event.T = f.now
	}
	if f.after != nil {
		f.after(f, s.r)
	}
	return s.r, true
}

func (f *fake) event(c int, typ history.Type, fn string) {
	f.later(time.Microsecond, workloads.Report{Process: c, Event: &history.Event{
		Type: typ, Process: c, F: fn, N: f.cycle[c].N, Key: history.Ptr(0)}})
}

func (f *fake) Send(c int, o workloads.Order) {
	switch o.Do {
	case workloads.DoCycle:
		f.cycle[c] = o
		f.event(c, history.Invoke, history.Acquire)
		f.line = append(f.line, c)
		f.grant()
	case workloads.DoArm:
		if o.Breakpoint.Phase == nemesis.Granted {
			f.armed[c] = *o.Breakpoint
		}
	case workloads.DoGo:
		if f.armed[c].ID != o.Breakpoint.ID {
			return
		}
		stood := f.armed[c].Nth < 0
		delete(f.armed, c)
		if stood {
			f.leave(c)
		}
	case workloads.DoStop:
		if i := slices.Index(f.line, c); i >= 0 {
			f.line = slices.Delete(f.line, i, i+1)
			f.event(c, history.Fail, history.Acquire)
			f.later(2*time.Microsecond, workloads.Report{Process: c, Done: &workloads.Done{}})
		}
	}
}

// grant lets the next in line in, who stops at a breakpoint if one is armed.
func (f *fake) grant() {
	if f.holder >= 0 || len(f.line) == 0 {
		return
	}
	c := f.line[0]
	f.line, f.holder = f.line[1:], c
	granted := &history.Event{Type: history.OK, Process: c, F: history.Acquire, N: f.cycle[c].N,
		Key: history.Ptr(0)}
	if f.lease > 0 {
		granted.Grant = &history.Grant{Sent: f.now, Lease: history.Duration(f.lease)}
	}
	f.later(time.Microsecond, workloads.Report{Process: c, Event: granted})
	if g, ok := f.armed[c]; ok {
		g.Nth = -1 // a client stands at it
		f.armed[c] = g
		f.later(2*time.Microsecond, workloads.Report{Process: c, Breakpoint: &workloads.BreakpointHit{
			ID: g.ID}})
		return
	}
	f.leave(c)
}

func (f *fake) leave(c int) {
	hold := f.cycle[c].Hold.D()
	f.later(hold, workloads.Report{Process: c, Event: &history.Event{Type: history.Invoke, Process: c,
		F: history.Release, N: f.cycle[c].N, Key: history.Ptr(0)}})
	f.later(hold+time.Microsecond, workloads.Report{Process: c, Event: &history.Event{Type: history.OK,
		Process: c, F: history.Release, N: f.cycle[c].N, Key: history.Ptr(0)}})
	f.later(hold+2*time.Microsecond, workloads.Report{Process: c, Done: &workloads.Done{}})
}

// turn frees the lock when its holder's cycle is done.
func turn(f *fake, r workloads.Report) {
	if r.Done != nil && r.Process == f.holder {
		f.holder = -1
		f.grant()
	}
}

// play runs a scenario in the fake environment.
func play(t *testing.T, f *fake, ctx context.Context, steps ...nemesis.Step) (*history.History,
	error) {
	t.Helper()
	p, err := harness.NewPlan(harness.RunOptions{Impl: "token-lua", Nemesis: "none", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Scenario = steps
	if f.after == nil {
		f.after = turn
	}
	var hist, trace bytes.Buffer
	runErr := harness.Run(ctx, p, f, harness.Output{History: &hist, Trace: &trace})
	h, err := history.Read(&hist)
	if err != nil {
		t.Fatalf("%v in\n%s", err, hist.String())
	}
	return h, runErr
}

// faults are what the record says was done, in order.
func faults(h *history.History) (list []string) {
	for _, e := range h.Events {
		if e.Type == history.Fault || e.Type == history.Kill {
			list = append(list, strings.TrimSpace(string(e.Type)+" "+e.F+" "+e.Target+" "+e.Phase))
		}
	}
	return list
}

func TestARunEndsWhenItsEvidenceIsComplete(t *testing.T) {
	h, err := play(t, newFake(), t.Context())
	if err != nil || !h.Complete() {
		t.Fatal(err)
	}
	if last := time.Duration(h.Events[len(h.Events)-1].T); last >= 10*time.Second {
		t.Errorf("it ran until its limit, %v", last)
	}
}

// A lock that is never granted again is waited for from the last moment that may excuse it. While a
// server is dead, nothing does: only the outage is judged.
func TestARunWaitsForADeadlockToBecomeCertain(t *testing.T) {
	for _, c := range []struct {
		excuse history.Type
		dead   bool
	}{{"", false}, {history.Info, false}, {history.Gap, false}, {history.Info, true}} {
		excuse, steps := c.excuse, []nemesis.Step{
			{Await: &nemesis.Await{Phase: nemesis.Granted}}, {Do: nemesis.KillNode, Target: "n0"},
			{Do: nemesis.Start, Target: "n0"}, {Do: nemesis.Go}}
		if c.dead {
			steps = slices.Delete(steps, 2, 3)
		}
		f := newFake()
		f.after = func(f *fake, r workloads.Report) {
			if r.Done == nil || r.Process != 0 {
				return // the next client is inside for ever
			}
			switch e := (history.Event{Type: excuse, Process: 3, T: f.now}); excuse {
			case history.Info:
				e.F, e.N, e.Key = history.Acquire, f.cycle[3].N, history.Ptr(0)
				f.line = slices.DeleteFunc(f.line, func(c int) bool { return c == 3 })
				f.later(time.Second, workloads.Report{Process: 3, Event: &e})
				f.later(time.Second, workloads.Report{Process: 3, Done: &workloads.Done{}})
			case history.Gap:
				e.Gap = history.Duration(20 * time.Millisecond)
				f.later(time.Second, workloads.Report{Process: 3, Event: &e})
			}
		}
		h, err := play(t, f, t.Context(), steps...)
		if err != nil {
			t.Fatal(err)
		}
		from, end := int64(0), h.Events[len(h.Events)-1].T
		for _, e := range h.Events {
			excuses := excuse != "" && e.Type == excuse && !c.dead
			if e.Type == history.Fault && e.Phase == history.PhaseFrom || excuses {
				from = e.T
			}
		}
		bound := h.Header.TTL.D() + 2*h.Header.Poll.D() + time.Second
		if waited := time.Duration(end - from); waited < bound || waited > 2*bound ||
			c.dead && waited > bound*5/4+300*time.Millisecond {
			t.Errorf("%q: the run ended %v after the last excuse, certain is %v", excuse, waited, bound)
		}
	}
}

func TestStepsAreDoneInOrderAndRecorded(t *testing.T) {
	f := newFake()
	h, err := play(t, f, t.Context(),
		nemesis.Step{Do: nemesis.Quiesce}, nemesis.Step{Do: nemesis.Resume},
		nemesis.Step{Await: &nemesis.Await{Phase: nemesis.Granted, Contended: true}},
		nemesis.Step{Do: nemesis.KillNode, Target: "n0", Aimed: true},
		nemesis.Step{Do: nemesis.Crash, Target: nemesis.Hit},
	)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff([]string{"kill n0", "crash"}, f.done); d != "" {
		t.Error(d)
	}
	// What lasts until the end of the run ends with it in the record.
	want := []string{"fault kill n0 begin", "fault crash c0 begin", "kill", "fault kill n0 end",
		"fault crash c0 end"}
	if d := diff.Diff(want, faults(h)); d != "" {
		t.Error(d)
	}
}

// TestASlowActionIsRecorded: a client that stands at a breakpoint stands for as long as an action
// takes, which the record must tell from what the plan asks for.
func TestASlowActionIsRecorded(t *testing.T) {
	for took, want := range map[time.Duration]bool{0: false, 700 * time.Millisecond: true} {
		f := newFake()
		f.kills = took
		h, err := play(t, f, t.Context(), nemesis.Step{Do: nemesis.KillNode, Target: "n0"})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(h.Events, func(e history.Event) bool {
			return e.Type == history.Gap && e.Process == history.Harness && e.F == nemesis.KillNode &&
				e.Target == "n0" && e.Gap.D() == took
		})
		if told != want {
			t.Errorf("a kill of %v: told %v", took, told)
		}
	}
}

func TestAnAimThatNeverComesEndsWithTheTime(t *testing.T) {
	h, err := play(t, newFake(), t.Context(), nemesis.Step{
		Await: &nemesis.Await{Phase: nemesis.Released}}, nemesis.Step{Do: nemesis.KillNode,
		Target: "n0"})
	if err != nil || !h.Complete() || len(faults(h)) > 0 {
		t.Errorf("error %v, faults %v", err, faults(h))
	}
}

func TestAnEnvironmentWithoutTheCapabilityBreaksTheRun(t *testing.T) {
	h, err := play(t, newFake(), t.Context(), nemesis.Step{Do: nemesis.Promote, Target: "n1"})
	if err == nil || !strings.Contains(err.Error(), "cannot promote") || h.HarnessError() == "" {
		t.Errorf("error %v, record says %q", err, h.HarnessError())
	}
}

func TestAClientThatEndsByItselfBreaksTheRun(t *testing.T) {
	f := newFake()
	f.after = func(f *fake, r workloads.Report) {
		if r.Done != nil && len(f.done) == 0 {
			f.done = append(f.done, "died")
			f.later(0, workloads.Report{Process: 3, Exit: &workloads.Exit{T: f.now, Err: "exit status 7"}})
		}
		turn(f, r)
	}
	h, err := play(t, f, t.Context())
	if err == nil || h.HarnessError() != "client 3 ended by itself: exit status 7" {
		t.Errorf("error %v, record says %q", err, h.HarnessError())
	}
}

func TestAClientThatBreaksTheProtocolBreaksTheRun(t *testing.T) {
	f := newFake()
	f.after = func(f *fake, r workloads.Report) {
		if r.Done != nil {
			f.event(r.Process, history.OK, history.Release)
		}
	}
	if _, err := play(t, f, t.Context()); err == nil ||
		!strings.Contains(err.Error(), "broke the protocol") {
		t.Errorf("error %v", err)
	}
}

func TestAnInterruptedRunKeepsItsRecord(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake()
	f.after = func(f *fake, r workloads.Report) {
		turn(f, r)
		if r.Done != nil {
			cancel()
		}
	}
	h, err := play(t, f, ctx)
	if !errors.Is(err, context.Canceled) || !h.Complete() || len(h.Events) < 5 || !h.Interrupted() ||
		h.HarnessError() != "" {
		t.Errorf("error %v, %d events", err, len(h.Events))
	}
}

// TestEveryClientOfAPlainRunCallsAgain: a lock may fail a client only in its second call. The
// lock serves the clients in turn: the evidence is complete before the last one calls again.
func TestEveryClientOfAPlainRunCallsAgain(t *testing.T) {
	h, err := play(t, newFake(), t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls := map[int]int{}
	for _, e := range h.Events {
		if e.Type == history.OK && e.F == history.Acquire {
			calls[e.Process]++
		}
	}
	for process := range 4 {
		if calls[process] < 2 {
			t.Errorf("client %d was granted the lock %d times", process, calls[process])
		}
	}
}
