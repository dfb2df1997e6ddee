package reporttest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/view"
)

// Scene says which run to make up.
type Scene struct {
	Clients int
	Cycles  int // acquisitions in all
	Fail    bool
	Plan    string
}

// fake is a made-up run: clients poll with SETNX for one lock, a master dies during a hold, and a
// replica never received that hold. Its records have the form of docs/formats.md; the real checker
// judges them.
type fake struct {
	r       *store.Run
	rng     *rand.Rand
	owner   int // client that holds the key on the current master, -1: none does
	value   string
	master  string
	state   []fakeClient
	seq     []int
	granted int
}

type fakeClient struct {
	n     int
	next  int64
	doing string // "acquire", "poll", "release"
}

const fakeWall = 1792000000.0

// NewRun makes up a run and has it judged.
func NewRun(t testing.TB, s Scene) *store.Run {
	t.Helper()
	f := &fake{rng: rand.New(rand.NewPCG(42, uint64(s.Cycles))), owner: -1, master: "n0",
		r:     &store.Run{},
		state: make([]fakeClient, s.Clients), seq: make([]int, s.Clients)}
	f.r.Nodes = map[string][]history.NodeCommand{"n0": nil, "n1": nil}
	f.r.History = &history.History{Header: header(s)}
	if s.Plan != "" {
		f.r.Plan = []byte(s.Plan)
	}
	for i := range f.state {
		f.state[i] = fakeClient{next: int64(1+i) * 1e6, doing: "acquire"}
	}
	f.play(s)
	f.r.History.Sort()
	f.r.Verdict = checker.Check(f.r.History, f.r.Trace, checker.Options{})
	return f.r
}

func header(s Scene) history.Header {
	h := history.Header{Type: "header", Format: history.Format, Environment: "process",
		Topology: "failover",
		Versions: map[string]string{"redis": "7.0.15", "lockbench": "devel"},
		Impl:     "getset", Nemesis: "failover", Workload: "mutex", Seed: 42, Clients: s.Clients, Keys: 1,
		TTL: 2e9, Poll: 6e6, Declares: history.Declares{Lease: true},
		Properties: []string{"S", "L"}, Expect: "S", Requires: history.Requires{Contended: 5, Hits: 1,
			Failover: true}, Started: "2026-11-21T12:00:00.123Z",
		Command: "lockbench run --impl getset --nemesis failover --seed 42"}
	if !s.Fail {
		h.Nemesis, h.Topology, h.Expect, h.Requires = "none", "single", "valid", history.Requires{
			Contended: 5}
		h.Command = "lockbench run --impl getset --nemesis none --seed 42"
	}
	return h
}

func (f *fake) event(e history.Event) { f.r.History.Events = append(f.r.History.Events, e) }

func (f *fake) command(p, n int, t int64, reply string, args ...string) int64 {
	f.seq[p]++
	back := t + int64(150e3+f.rng.IntN(250e3))
	f.r.Trace = append(f.r.Trace, history.Command{Process: p, Seq: f.seq[p], N: n, Node: f.master,
		Sent: t, Recv: back, Args: args, Reply: reply})
	line := fmt.Sprintf("%.6f [0 127.77.3.1:%d]", fakeWall+float64(t+80e3)/1e9, 40100+p)
	for _, a := range args {
		line += " " + strconv.Quote(a)
	}
	f.r.Nodes[f.master] = append(f.r.Nodes[f.master], history.NodeCommand{T: t + 200e3, Line: line})
	return back
}

func (f *fake) play(s Scene) {
	var end int64
	for f.granted < s.Cycles {
		p := 0
		for i := range f.state {
			if f.state[i].next < f.state[p].next {
				p = i
			}
		}
		f.step(p, s)
		end = max(end, f.state[p].next)
	}
	for i := range f.state { // a client that is inside leaves, one that waits gives up
		c := &f.state[i]
		t := max(end, c.next) + 1
		switch c.doing {
		case "poll":
			f.event(history.Event{Type: history.Fail, T: t, Process: i, F: history.Acquire, N: c.n,
				Key: history.Ptr(0), Err: "held"})
		case "release":
			f.release(i, t)
		}
		end = max(end, c.next+2)
	}
	if s.Fail {
		f.event(history.Event{Type: history.Fault, T: end, Process: history.Harness, F: "kill",
			Phase: history.PhaseTo, ID: 2, Target: "n0", Lasted: true})
		f.event(history.Event{Type: history.Fault, T: end, Process: history.Harness, F: "cut",
			Phase: history.PhaseTo, ID: 1, Target: "n0>n1", Lasted: true})
	}
	f.event(history.Event{Type: history.End, T: end + 1e6, Process: history.Harness})
}

func (f *fake) step(p int, s Scene) {
	c := &f.state[p]
	switch c.doing {
	case "acquire":
		c.n++
		f.event(history.Event{Type: history.Invoke, T: c.next, Process: p, F: history.Acquire, N: c.n,
			Key: history.Ptr(0)})
		c.doing, c.next = "poll", c.next+20e3
	case "poll":
		f.poll(p, s)
	case "release":
		f.release(p, c.next)
	}
}

func (f *fake) poll(p int, s Scene) {
	c := &f.state[p]
	sent, value := c.next, strconv.FormatInt(1792000002000+c.next/1e6, 10)
	if f.owner >= 0 {
		back := f.command(p, c.n, sent, "0", "SETNX", "lock:0", value)
		back = f.command(p, c.n, back+10e3, f.value, "GET", "lock:0")
		c.next = back + 6e6 + int64(f.rng.IntN(2e6))
		return
	}
	node := f.master
	back := f.command(p, c.n, sent, "1", "SETNX", "lock:0", value) + 30e3
	f.owner, f.value = p, value
	f.event(history.Event{Type: history.OK, T: back, Process: p, F: history.Acquire, N: c.n,
		Key: history.Ptr(0), Grant: &history.Grant{Sent: sent, Lease: 2e9, Node: node}})
	f.granted++
	hold := int64(30e6 + f.rng.IntN(30e6))
	if s.Cycles > 1000 {
		hold = int64(1e6 + f.rng.IntN(1e6))
	}
	if s.Fail && f.granted == max(3, s.Cycles/2) {
		hold = 200e6
		f.failover(back, p)
	}
	c.doing, c.next = "release", back+hold
}

func (f *fake) failover(t int64, by int) {
	add := func(dt int64, name, phase, target string, id int, aimed bool) {
		f.event(history.Event{Type: history.Fault, T: t + dt, Process: history.Harness, F: name,
			Phase: phase, ID: id, Target: target, Aimed: aimed, By: history.Ptr(by)})
	}
	add(-900e3, "cut", history.PhaseFrom, "n0>n1", 1, false)
	add(100e3, "kill", history.PhaseFrom, "n0", 2, true)
	add(600e3, "promote", history.PhaseFrom, "n1", 3, false)
	add(1400e3, "promote", history.PhaseTo, "n1", 3, false)
	f.master, f.owner = "n1", -1
	for i := range f.state {
		if c := &f.state[i]; i != by && c.doing == "poll" {
			c.next = max(c.next, t+30e6)
		}
	}
}

func (f *fake) release(p int, t int64) {
	c := &f.state[p]
	f.event(history.Event{Type: history.Invoke, T: t, Process: p, F: history.Release, N: c.n,
		Key: history.Ptr(0)})
	back := f.command(p, c.n, t+10e3, "1", "DEL", "lock:0") + 10e3
	f.event(history.Event{Type: history.OK, T: back, Process: p, F: history.Release, N: c.n,
		Key: history.Ptr(0)})
	f.owner = -1
	c.doing, c.next = "acquire", back+int64(f.rng.IntN(3e6))
}

// View returns a run as its reports see it.
func View(t testing.TB, r *store.Run) *view.View {
	t.Helper()
	v, err := view.New(r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
