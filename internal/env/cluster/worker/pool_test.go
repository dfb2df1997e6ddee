package worker_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// run is a client of a pool's worker, with the harness' part played by the test.
type run struct {
	t *testing.T
	server.Worker
	log     string
	reports *bufio.Scanner
	pid     int
}

// begin lets a worker of a pool play a client.
func begin(t *testing.T, p *server.WorkerPool, lock string, process int) *run {
	t.Helper()
	r := &run{t: t, log: filepath.Join(t.TempDir(), "log")}
	log, err := os.Create(r.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if r.Worker, err = p.Spawn("c0", log); err != nil {
		t.Fatal(err)
	}
	r.reports = bufio.NewScanner(r.Output())
	r.order(workloads.Order{Do: workloads.DoConfig, Config: &workloads.Config{Impl: lock, Seed: 7,
		Process: process, TTL: history.Duration(time.Second), Keys: []string{"k"},
		AcquireTimeout: history.Duration(time.Second)}})
	if ready := r.report(); ready.Ready != nil {
		r.pid = ready.Ready.PID
	} else {
		t.Fatalf("%+v; not ready", ready)
	}
	return r
}

func (r *run) order(o workloads.Order) {
	r.t.Helper()
	if err := json.NewEncoder(r).Encode(o); err != nil {
		r.t.Fatal(err)
	}
}

// report is the next report that does not tell of a machine that stalled; zero at the end of the
// output.
func (r *run) report() (next workloads.Report) {
	r.t.Helper()
	for r.reports.Scan() {
		next = workloads.Report{}
		if err := json.Unmarshal(r.reports.Bytes(), &next); err != nil {
			r.t.Fatal(err)
		}
		if next.Event == nil || next.Event.Type != history.Gap {
			return next
		}
	}
	return workloads.Report{}
}

// cycle lets the client go through a cycle and returns its events, without their times.
func (r *run) cycle(n int) (events []history.Event) {
	r.t.Helper()
	r.order(workloads.Order{Do: workloads.DoCycle, N: n, Body: workloads.Mutex})
	for {
		switch next := r.report(); {
		case next.Event != nil:
			e := *next.Event
			if e.T = 0; e.Grant != nil {
				e.Grant.Sent, e.Grant.Lease = 0, 0
			}
			events = append(events, e)
		case next.Done != nil:
			return events
		default:
			r.t.Fatalf("%+v; neither an event nor the end of the cycle", next)
		}
	}
}

// end ends the client as the harness does, and reports whether its worker is free for another one.
func (r *run) end() (free bool) {
	r.t.Helper()
	r.Close()
	_ = r.Resume()
	for {
		switch next := r.report(); {
		case next.Reset:
			r.Worker.(server.Reusable).Recycle()
			return true
		case next == workloads.Report{}:
			_ = r.Wait()
			return false
		}
	}
}

func pool(t *testing.T) *server.WorkerPool {
	if runtime.GOOS != "linux" {
		t.Skip("workers are kept on Linux only")
	}
	p := new(server.WorkerPool)
	t.Cleanup(p.Close)
	return p
}

// TestAKeptWorkerIsAsAFreshOne: the same seed gives the same random numbers, nothing of the client
// before is seen, and what is written to standard error goes to the log of its own run.
func TestAKeptWorkerIsAsAFreshOne(t *testing.T) {
	fresh := begin(t, pool(t), "loud", 3)
	want := fresh.cycle(1)
	p := pool(t)
	first := begin(t, p, "tidy", 0)
	first.cycle(1)
	first.cycle(2)
	if !first.end() {
		t.Fatal("a worker that has nothing of its client left is not kept")
	}
	second := begin(t, p, "loud", 3)
	if second.pid != first.pid || second.pid == fresh.pid {
		t.Errorf("processes %d and %d, another pool's %d", first.pid, second.pid, fresh.pid)
	}
	if d := cmp.Diff(want, second.cycle(1)); d != "" || len(want) < 4 {
		t.Errorf("another run than on a fresh worker:\n%s", d)
	}
	for r, want := range map[*run]string{first: "", second: "client 3 says\n"} {
		if b, err := os.ReadFile(r.log); err != nil || string(b) != want {
			t.Errorf("the log is %q, not %q; %v", b, want, err)
		}
	}
}

// TestAnInterruptedClientLeavesNothing: it is in a hold, or was not even configured.
func TestAnInterruptedClientLeavesNothing(t *testing.T) {
	p := pool(t)
	r := begin(t, p, "tidy", 0)
	r.order(workloads.Order{Do: workloads.DoCycle, N: 1, Body: workloads.Mutex,
		Hold: history.Duration(time.Hour)})
	for e := r.report().Event; e == nil || e.Type != history.OK; e = r.report().Event {
	}
	if !r.end() {
		t.Fatal("a client in a hold keeps its worker")
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	w, err := p.Spawn("c0", log)
	if err != nil {
		t.Fatal(err)
	}
	none := &run{t: t, Worker: w, reports: bufio.NewScanner(w.Output())}
	if !none.end() {
		t.Error("a worker whose run broke off before it began is not kept")
	}
	if again := begin(t, p, "tidy", 0); again.pid != r.pid {
		t.Errorf("process %d, not %d", again.pid, r.pid)
	}
}

// TestAWorkerWithSomethingLeftIsNotKept plants a goroutine.
func TestAWorkerWithSomethingLeftIsNotKept(t *testing.T) {
	p := pool(t)
	leaks := begin(t, p, "leaking", 0)
	if leaks.end() {
		t.Error("a worker with a goroutine of its client is kept")
	}
	if b, err := os.ReadFile(leaks.log); err != nil ||
		!strings.Contains(string(b), "1 goroutines are left of a client") {
		t.Errorf("the log says %q, %v", b, err)
	}
	if next := begin(t, p, "tidy", 0); next.pid == leaks.pid {
		t.Error("it plays another client")
	}
}

// TestAnEndedClientCannotSpeak plants a variable by which a client is reached in the next run: the
// worker ends rather than that its report is taken for one of that run.
func TestAnEndedClientCannotSpeak(t *testing.T) {
	p := pool(t)
	first := begin(t, p, "keeping", 0)
	first.cycle(1)
	first.end()
	next := begin(t, p, "speaking", 1)
	if next.pid != first.pid {
		t.Fatalf("process %d, not %d", next.pid, first.pid)
	}
	next.order(workloads.Order{Do: workloads.DoCycle, N: 1, Body: workloads.Mutex})
	for r := next.report(); r != (workloads.Report{}); r = next.report() {
		if r.Event == nil || r.Event.Type != history.Invoke {
			t.Fatalf("%+v: its client did no more than begin", r)
		}
	}
	next.Close()
	if err := next.Wait(); err == nil {
		t.Error("it ended as if all were well")
	}
}

// TestAPausedOrKilledWorkerIsNotKept: also one that was resumed, and one that is killed late.
func TestAPausedOrKilledWorkerIsNotKept(t *testing.T) {
	for name, mar := range map[string]func(*run) error{
		"paused": func(r *run) error { return r.Pause() },
		"resumed": func(r *run) error {
			if err := r.Pause(); err != nil {
				return err
			}
			return r.Resume()
		},
		"killed": func(r *run) error { r.Kill(); return nil },
	} {
		p := pool(t)
		r := begin(t, p, "tidy", 0)
		if err := mar(r); err != nil {
			t.Fatal(err)
		}
		if r.end() || !proc.IsGone(r.pid) {
			t.Errorf("%s: it lives on", name)
		}
		if next := begin(t, p, "tidy", 0); next.pid == r.pid {
			t.Errorf("%s: it plays another client", name)
		}
	}
}

// TestAWorkerThatIsKilledLateIsNotKept: it has said that it is free, but is not given back yet.
func TestAWorkerThatIsKilledLateIsNotKept(t *testing.T) {
	p := pool(t)
	r := begin(t, p, "tidy", 0)
	r.Close()
	for !r.report().Reset {
	}
	r.Kill()
	r.Worker.(server.Reusable).Recycle()
	if !proc.IsGone(r.pid) {
		t.Error("it lives on")
	}
	if next := begin(t, p, "tidy", 0); next.pid == r.pid {
		t.Error("it plays another client")
	}
}

// TestAnOldHandleReachesNoNewClient: what is done late to a client that has ended must not hit the
// one that its process plays now.
func TestAnOldHandleReachesNoNewClient(t *testing.T) {
	p := pool(t)
	old := begin(t, p, "tidy", 0)
	old.end()
	now := begin(t, p, "tidy", 0)
	if now.pid != old.pid {
		t.Fatalf("process %d, not %d", now.pid, old.pid)
	}
	old.Kill()
	if old.Pause() == nil || old.Stopped() || !old.Worker.(server.Idler).Idle() {
		t.Error("a client that has ended is paused, or works")
	}
	if _, err := old.Write([]byte("hello\n")); err == nil || old.Close() != nil {
		t.Error("a client that has ended takes orders")
	}
	if len(now.cycle(1)) < 4 || !now.end() {
		t.Error("the new client was hit")
	}
}

// TestAPoolLeavesNoProcess: idle workers end with the pool, and what still plays ends after it.
func TestAPoolLeavesNoProcess(t *testing.T) {
	p := pool(t)
	idle, busy := begin(t, p, "tidy", 0), begin(t, p, "tidy", 1)
	idle.end()
	p.Close()
	if !proc.IsGone(idle.pid) {
		t.Error("an idle worker outlives its pool")
	}
	if busy.cycle(1); !busy.end() {
		t.Error("a client is cut short by the end of its pool")
	}
	if !proc.IsGone(busy.pid) {
		t.Error("a worker outlives its client after the end of the pool")
	}
}
