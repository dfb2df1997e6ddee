package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// part is the setting that makes this test's own program play an adapter.
const part = "LOCKBENCH_ADAPTER_PART"

func TestMain(m *testing.M) {
	if name := os.Getenv(part); name != "" {
		parts[name](adapterPart{bufio.NewScanner(os.Stdin)})
		return
	}
	testenv.SideBySide(6)
	os.Exit(m.Run())
}

// adapterPart is a small adapter that a test plays.
type adapterPart struct{ in *bufio.Scanner }

// next is the next order.
func (adapterPart) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (p adapterPart) next() (o Order) {
	if !p.in.Scan() {
		os.Exit(0)
	}
	_ = json.Unmarshal(p.in.Bytes(), &o)
	return o
}

// ready takes the config and is ready.
func (p adapterPart) ready() {
	p.next()
	p.say(`{"is":"ready","pid":%d,"versions":{"mine":"1"}}`, os.Getpid())
}

func (p adapterPart) begun(o Order) {
	p.say(`{"is":"begun","n":%d,"op":%q,"t":%d}`, o.N, o.Do, proc.Monotonic())
}

func (p adapterPart) done(is string, o Order) {
	p.say(`{"is":%q,"n":%d,"t":%d}`, is, o.N, proc.Monotonic())
}

// acquired is ready, and has acquired when it returns.
func (p adapterPart) acquired() {
	p.ready()
	o := p.next()
	p.begun(o)
	p.done(isAcquired, o)
}

func (p adapterPart) forEver() {
	for {
		p.next()
	}
}

// parts are the adapters that do something wrong, and one that does not.
var parts = map[string]func(adapterPart){
	"good": func(p adapterPart) {
		p.ready()
		for {
			o := p.next()
			switch o.Do {
			case doAcquire:
				p.begun(o)
				p.done(isAcquired, o)
			case doRelease:
				p.begun(o)
				p.done(isReleased, o)
			case doTouch:
				p.done(isTouched, o)
			}
		}
	},
	"prints":  func(p adapterPart) { p.ready(); p.say("connected to redis!"); p.forEver() },
	"garbage": func(p adapterPart) { p.ready(); p.say("{\"is\":"); p.forEver() },
	"no is":   func(p adapterPart) { p.ready(); p.say("{}"); p.forEver() },
	"endless": func(p adapterPart) { p.ready(); fmt.Print(strings.Repeat("x", 1<<20)); p.forEver() },
	"dies at start": func(adapterPart) {
		fmt.Fprintln(os.Stderr, "no module named redis")
		os.Exit(3)
	},
	"imports": func(adapterPart) {
		fmt.Fprintln(os.Stderr, "ModuleNotFoundError: No module named 'shop'")
		os.Exit(1)
	},
	"imports late": func(p adapterPart) {
		p.say(`{"is":"broken","err":"ModuleNotFoundError: No module named 'shop'"}`)
		p.forEver()
	},
	"never ready": func(p adapterPart) { p.forEver() },
	"ready twice": func(p adapterPart) {
		p.ready()
		p.say(`{"is":"ready"}`)
		p.forEver()
	},
	"clock stays": func(p adapterPart) { p.ready(); p.forEver() },
	"broken":      func(p adapterPart) { p.say(`{"is":"broken","err":"no redis"}`); p.forEver() },
	"answers twice": func(p adapterPart) {
		p.acquired()
		p.done(isAcquired, Order{N: 1})
		p.forEver()
	},
	"not asked": func(p adapterPart) { p.ready(); p.done(isReleased, Order{N: 9}); p.forEver() },
	"other answer": func(p adapterPart) {
		p.ready()
		o := p.next()
		p.begun(o)
		p.done(isReleased, o)
		p.forEver()
	},
	"not begun":       func(p adapterPart) { p.ready(); p.done(isAcquired, p.next()); p.forEver() },
	"ignores acquire": func(p adapterPart) { p.ready(); p.forEver() },
	"ignores release": func(p adapterPart) { p.acquired(); p.forEver() },
	"another clock": func(p adapterPart) {
		p.ready()
		o := p.next()
		p.say(`{"is":"begun","n":%d,"op":"acquire","t":%d}`, o.N, time.Now().UnixNano())
		p.forEver()
	},
	"floods": func(p adapterPart) {
		p.acquired()
		lost := fmt.Sprintf(`{"is":"lost","n":1,"t":%d,"by":"flood"}`, proc.Monotonic())
		p.say("%s", strings.Repeat(lost+"\n", 1200)) // at once: one stall leaves 600 in a second
		p.forEver()
	},
	"loses what it never had": func(p adapterPart) {
		p.acquired()
		p.say(`{"is":"lost","n":7,"t":%d,"by":"flood"}`, proc.Monotonic())
		p.forEver()
	},
	"closes its " +
		"output": func(p adapterPart) { p.ready(); p.begun(p.next()); os.Stdout.Close(); p.forEver() },
	"ends before it begins": func(p adapterPart) {
		p.ready()
		o := p.next()
		t := proc.Monotonic()
		p.begun(o)
		p.say(`{"is":"acquired","n":%d,"t":%d}`, o.N, t)
		p.forEver()
	},
	"bursts": func(p adapterPart) { // it says all of a release at once, with a gap after it
		p.acquired()
		o := p.next()
		for o.Do == doTouch {
			p.done(isTouched, o)
			o = p.next()
		}
		var t [3]int64
		for i := range t {
			t[i] = proc.Monotonic()
			time.Sleep(time.Millisecond)
		}
		p.say(`{"is":"begun","n":%d,"op":"release","t":%d}`+"\n"+`{"is":"released","n":%d,"t":%d}`+"\n"+
			`{"is":"gap","t":%d,"ns":1000}`, o.N, t[0], o.N, t[1], t[2])
		p.forEver()
	},
	"stamps of long ago": func(p adapterPart) {
		p.ready()
		o := p.next()
		p.say(`{"is":"begun","n":%d,"op":%q,"t":%d}`, o.N, o.Do, proc.Monotonic()-30e9)
		p.forEver()
	},
	"expires at once":   func(p adapterPart) { playOdd(p, oddLock{unit: time.Microsecond}) },
	"recovers slowly":   func(p adapterPart) { playOdd(p, oddLock{recovers: 2 * checkWait}) },
	"keeps its key":     func(p adapterPart) { playOdd(p, oddLock{keeps: true}) },
	"deletes its key":   func(p adapterPart) { playOdd(p, oddLock{}) },
	"extends all locks": func(p adapterPart) { playOdd(p, oddLock{blind: true}) },
	"dies inside":       func(p adapterPart) { p.acquired(); os.Exit(4) },
	"dies in a call":    func(p adapterPart) { p.acquired(); p.next(); os.Exit(5) },
	"leaves a child": func(p adapterPart) {
		p.acquired()
		c := exec.Command("sleep", "60")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		_ = c.Start()
		os.Exit(6)
	},
}

// played is what came of an adapter.
type played struct {
	failed string
	events []history.Event
	ready  *workloads.Ready
	done   int
	exit   error
	log    string
}

// within is the patience with an adapter that does not do what it is asked. One that first does a
// part of it has afterPart, and any other has a minute: more time than a machine stalls.
const (
	within    = 300 * time.Millisecond
	afterPart = 4 * time.Second
)

// patience returns the limits for an adapter that a test plays.
func patience(name string) limits {
	l := limits{ready: time.Minute, act: time.Minute}
	switch name {
	case "never ready":
		l.ready = within
	case "clock stays", "ignores acquire":
		l.act = within
	case "ignores release":
		l.act = afterPart
	}
	return l
}

// play starts an adapter, gives it a cycle, and returns when it has ended. Its input ends after the
// cycle.
func play(t *testing.T, name string, body string) (p played) {
	t.Helper()
	dir, in := installed(t, name)
	log, err := os.Create(filepath.Join(dir, "c0.log"))
	if err != nil {
		t.Fatal(err)
	}
	s := Spawner{Adapter: in, limits: patience(name)}
	if name == "clock stays" {
		s.Clocks, s.Dir, s.Adapter.Clock = true, dir, adapters.ClockOverlay
	}
	w, err := s.Spawn("c0", log)
	log.Close()
	if err != nil {
		t.Fatal(err)
	}
	p = follow(t, w, body)
	p.log = log.Name()
	gone := func() bool { return proc.IsGone(w.(*worker).child.cmd.Process.Pid) }
	if !proc.Await(time.Minute, time.Millisecond, gone) {
		t.Error("its process is still there")
	}
	return p
}

// installed sets an adapter up that a test plays.
func installed(t *testing.T, name string) (dir string, in adapters.Installed) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	manifest := fmt.Sprintf("name: mine\nrun: [%q]\nenv: {%s: %q}\ndeclares: {lease: true}\n"+
		"tells: [release]\n", self, part, name)
	if err := os.WriteFile(filepath.Join(dir, adapters.ManifestName), []byte(manifest), 0o644); err !=
		nil {
		t.Fatal(err)
	}
	a, err := adapters.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err = adapters.Setup(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return dir, in
}

// follow plays the harness' part for one cycle.
func follow(t *testing.T, w server.Worker, body string) (p played) {
	t.Helper()
	order := func(o workloads.Order) {
		line, _ := json.Marshal(o)
		_, _ = w.Write(line)
	}
	order(workloads.Order{Do: workloads.DoConfig, Config: &workloads.Config{Keys: []string{"lock:0"},
		Nodes: []map[string]string{{"n0": "127.0.0.1:1"}}, Master: "n0",
		TTL: history.Duration(time.Second), AcquireTimeout: history.Duration(time.Second)}})
	lines := bufio.NewScanner(w.Output())
	var resource workloads.Resource
	for lines.Scan() {
		var r workloads.Report
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Ready != nil:
			p.ready = r.Ready
			order(workloads.Order{Do: workloads.DoCycle, N: 1, Body: body,
				Hold: history.Duration(20 * time.Millisecond)})
		case r.Event != nil:
			p.events = append(p.events, *r.Event)
		case r.Ask != nil:
			order(resource.Answer(*r.Ask))
		case r.Failed != "":
			p.failed = r.Failed
		case r.Done != nil:
			p.done++
			w.Close()
		}
	}
	p.exit = w.Wait()
	return p
}

// TestBadAdapters wants one line that names the adapter, what it did and its log, and no hang.
func TestBadAdapters(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, says := range map[string]string{
		"prints":  `it wrote "connected to redis!", not a line of the protocol`,
		"garbage": `not a line of the protocol`, "no is": `it wrote "{}" without "is"`,
		"endless":       "it wrote a line of more than 64 KB",
		"dies at start": "it ended before it was ready (exit status 3)",
		"imports": "(exit status 1); a module that it imports was not found: if " +
			"it lies outside",
		"imports late": "No module named 'shop'; a module that it imports was not found: " +
			"if it lies",
		"never ready":             "it was not ready within 300ms",
		"ready twice":             "it says twice that it is ready",
		"clock stays":             "its wall clock cannot be moved: it does not read the file",
		"broken":                  "it says: no redis",
		"answers twice":           `it answered "acquired" for n=1, without being asked`,
		"not asked":               `it answered "released" for n=9, without being asked`,
		"other answer":            `it answered "released" for n=1, but it was asked to acquire`,
		"not begun":               `it answered "acquired" for n=1 without "begun" before`,
		"ignores acquire":         "it did not begin to acquire n=1 within 300ms",
		"ignores release":         "it did not begin to release n=1 within 4s",
		"another clock":           "but CLOCK_MONOTONIC showed",
		"closes its output":       "it closed its standard output and goes on",
		"ends before it begins":   `before its own "begun"`,
		"stamps of long ago":      "but CLOCK_MONOTONIC showed",
		"loses what it never had": "it says that n=7 is lost, but it was never asked to acquire that",
		"floods":                  "more than 500 things in a second that it was not asked for",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, name, workloads.Mutex)
			for _, word := range []string{"the adapter mine: ", says, "its log is " + p.log} {
				if !strings.Contains(p.failed, word) || strings.Contains(p.failed, "\n") {
					t.Errorf("it says %q, and must say %q", p.failed, word)
				}
			}
			if name == "ignores release" {
				endsTheHold(t, p)
			}
		})
	}
}

// TestEndsOfAdapters wants the end of a process to be the worker's end, with all that it had said
// in the record, and nothing of a call that it did not answer.
func TestEndsOfAdapters(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, exit := range map[string]string{"dies inside": "exit status 4",
		"dies in a call": "exit status 5", "leaves a child": "exit status 6"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, name, workloads.Mutex)
			want := "the adapter mine: " + exit + "; its log is " + p.log
			if p.failed != "" || p.exit == nil || p.exit.Error() != want {
				t.Errorf("it ended with %v, said %q", p.exit, p.failed)
			}
			if kinds := kinds(p.events); kinds != "invoke acquire, ok acquire" {
				t.Errorf("the record is: %s", kinds)
			}
		})
	}
}

// endsTheHold wants the order of a release that the process did not act on to be its begin.
func endsTheHold(t *testing.T, p played) {
	t.Helper()
	if kinds := kinds(p.events); kinds != "invoke acquire, ok acquire, invoke release" {
		t.Fatalf("the record is: %s", kinds)
	}
	if proc.Monotonic()-p.events[2].T < int64(afterPart) {
		t.Error("the hold lasted until the patience was over, and not until the order")
	}
}

// TestALateLineKeepsItsStamp: a process that reports late has acted when it says.
func TestALateLineKeepsItsStamp(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p := play(t, "bursts", workloads.Mutex)
	at := map[string]int64{}
	for _, e := range p.events {
		at[strings.TrimSpace(string(e.Type)+" "+e.F)] = e.T
	}
	if !(at["invoke release"] < at["ok release"] && at["ok release"] < at["gap"]) {
		t.Errorf("the stamps are %v; %s", at, p.failed)
	}
}

func TestAGoodAdapter(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p := play(t, "good", workloads.Counter)
	want := "invoke acquire, ok acquire, invoke read, ok read, invoke write, ok write, " +
		"invoke release, ok release"
	if got := kinds(p.events); got != want || p.failed != "" || p.done != 1 || p.exit != nil {
		t.Errorf("the record is: %s; failed %q, %d done, %v", got, p.failed, p.done, p.exit)
	}
	if p.ready == nil || p.ready.Versions["mine"] != "1" {
		t.Errorf("ready is %+v", p.ready)
	}
}

func kinds(events []history.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, strings.TrimSpace(string(e.Type)+" "+e.F))
	}
	return strings.Join(all, ", ")
}

// TestAClockIsFoundFromAnywhere wants its file by a name that does not depend on the working
// directory, which is another one for the adapter.
func TestAClockIsFoundFromAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := newClientClock(".", "c0", adapters.ClockOverlay)
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(c.file.Path) {
		t.Errorf("it is %s", c.file.Path)
	}
}
