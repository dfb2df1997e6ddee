package checker

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// busy is a run that never ends: clients take locks in turn, while others are refused, and each
// command is on record. Of ten operations two are refused acquires and four acquires that succeed.
type busy struct {
	operations, clients, locks int
	reentrant                  bool // each client acquires once more inside
	broken                     bool // each third hold lasts into the next one

	h        *history.History
	commands []history.Command
	n, seq   []int // by client
	now      int64
}

func (b *busy) String() string {
	kind := ""
	if b.reentrant {
		kind = ",re-entrant"
	}
	return fmt.Sprintf("operations=%d,locks=%d%s", b.operations, b.locks, kind)
}

// make writes the history and its trace.
func (b *busy) make() (*history.History, []history.Command) {
	ttl := history.Duration(2 * time.Second)
	b.h = &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "sim", Topology: "single", TTL: ttl, Poll: history.Duration(time.Millisecond),
		Declares: history.Declares{Lease: true, Validity: true, Fencing: true, Reentrant: b.reentrant}}}
	for i := range b.locks {
		b.h.Header.Names = append(b.h.Header.Names, "lock:"+strconv.Itoa(i))
	}
	b.n, b.seq, b.commands, b.now = make([]int, b.clients), make([]int, b.clients), nil, 0
	b.h.Events = make([]history.Event, 0, 2*b.operations)
	for turn := 0; len(b.h.Events) < 2*b.operations; turn++ {
		b.turn(turn)
	}
	b.h.Events = append(b.h.Events, history.Event{Type: history.End, T: b.now,
		Process: history.Harness})
	b.h.Sort()
	return b.h, b.commands
}

// turn has one client take a lock, which another one is refused now and then.
func (b *busy) turn(turn int) {
	p, key := turn%b.clients, turn/b.clients%b.locks
	token := int64(turn + 1)
	b.acquire(p, key, 0, token)
	if other := (p + 1) % b.clients; turn%2 == 0 {
		b.n[other]++
		b.event(history.Invoke, other, history.Acquire, key, nil)
		b.command(other, key, "(nil)", "SET", "", "NX", "PX", "2000")
		b.event(history.Fail, other, history.Acquire, key, nil)
	}
	if b.reentrant {
		b.acquire(p, key, 1, 0)
		b.release(p, key)
		b.n[p]--
	}
	b.release(p, key)
	if b.broken && turn%3 == 0 {
		b.now -= 500
	}
}

func (b *busy) acquire(p, key, depth int, token int64) {
	b.n[p]++
	b.event(history.Invoke, p, history.Acquire, key, nil)
	sent := b.now
	if depth == 0 {
		b.command(p, key, "OK", "SET", "", "NX", "PX", "2000")
	}
	b.event(history.OK, p, history.Acquire, key, &history.Grant{Sent: sent, Token: token, Node: "n0",
		Lease: b.h.Header.TTL, ValidUntil: sent + int64(b.h.Header.TTL)})
	b.h.Events[len(b.h.Events)-1].Depth = depth
}

func (b *busy) release(p, key int) {
	b.event(history.Invoke, p, history.Release, key, nil)
	b.command(p, key, "1", "DEL")
	b.event(history.OK, p, history.Release, key, nil)
}

func (b *busy) event(t history.Type, p int, f string, key int, g *history.Grant) {
	b.now += 100
	b.h.Events = append(b.h.Events, history.Event{Type: t, T: b.now, Process: p, F: f, N: b.n[p],
		Key: history.Ptr(key), Grant: g})
}

func (b *busy) command(p, key int, reply, verb string, more ...string) {
	b.seq[p]++
	args := append([]string{verb, b.h.Header.Names[key]}, more...)
	if len(more) > 0 {
		args[2] = "value-" + strconv.Itoa(p) + "-" + strconv.Itoa(b.n[p])
	}
	b.commands = append(b.commands, history.Command{Process: p, Seq: b.seq[p], N: b.n[p], Node: "n0",
		Sent: b.now + 20, Recv: b.now + 70, Args: args, Reply: reply})
	b.now += 80
}

// TestManyLocks: the time of all letters grows with the operations, and not with operations times
// locks, or refusals times holds, with which these cases would take minutes.
func TestManyLocks(t *testing.T) {
	t.Parallel()
	const clean = "S=valid L=valid O=valid R=valid D=valid A=n.a. F=valid U=n.a. E=n.a. V=valid N=n.a."
	for name, c := range map[string]struct {
		run  busy
		want string
	}{
		"one lock":    {busy{operations: 100_000, clients: 10, locks: 1}, clean},
		"20,000":      {busy{operations: 100_000, clients: 10, locks: 20_000}, clean},
		"none is one": {busy{operations: 100_000, clients: 10, locks: 20_000, broken: true}, ""},
	} {
		h, trace := c.run.make()
		v := Check(h, trace, Options{Properties: history.DefaultProperties()})
		if got := show(v); c.want != "" && got != c.want || (c.want == "") != (v.Verdict == Violated) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// BenchmarkAllLetters judges everything that a run is judged by on up to a million operations, and
// reports the time, and the memory in use beyond the history and its trace.
func BenchmarkAllLetters(b *testing.B) {
	for _, run := range []*busy{
		{operations: 10_000, clients: 10, locks: 1},
		{operations: 100_000, clients: 10, locks: 1},
		{operations: 1_000_000, clients: 10, locks: 1},
		{operations: 1_000_000, clients: 10, locks: 20_000},
		{operations: 1_000_000, clients: 10, locks: 1, reentrant: true},
	} {
		b.Run(run.String(), func(b *testing.B) {
			h, commands := run.make()
			o := Options{Properties: history.DefaultProperties()}
			b.ResetTimer()
			for range b.N {
				if v := Check(h, commands, o); !v.AsExpected {
					b.Fatal(v.Summary, show(v))
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
			b.StopTimer()
			b.ReportMetric(float64(liveBeyond(func() { Check(h, commands, o) }))/(1<<20), "MB")
		})
	}
}

// liveBeyond returns how many bytes a function had in use at most, beyond what was in use before
// it: what the collector found alive, which it is made to look for often.
func liveBeyond(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtime.GC()
	metrics.Read(live)
	before, most := live[0].Value.Uint64(), uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for {
		metrics.Read(live)
		most = max(most, live[0].Value.Uint64())
		select {
		case <-done:
			return most - min(most, before)
		case <-time.After(time.Millisecond):
		}
	}
}
