package impls_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/impls"
	"github.com/redis/go-redis/v9"
)

// TestGoldenTraces compares what each lock sends, at the connection, with a trace that was written
// by hand from its document.
func TestGoldenTraces(t *testing.T) {
	w, ok := needRedis(t).(*processes)
	if !ok {
		t.Fatal("traces are recorded on real servers")
	}
	for _, e := range impls.All() {
		t.Run(e.Name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "trace", e.Name+".txt"))
			if err != nil {
				t.Fatalf("each lock needs a golden trace, written from its document first: %v", err)
			}
			got := perform(t, w, e)
			if diff := cmp.Diff(golden(string(want)), got); diff != "" {
				t.Errorf("the document (-) and our code (+) differ:\n%s", diff)
			}
		})
	}
}

// golden takes comments and alignment out of a trace.
func golden(text string) (lines []string) {
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(l, "#")
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// play is one performance: two clients of one lock, with all that they send written down.
type play struct {
	*scene
	r      *recorder
	w      *processes
	shown  int
	script []string
}

func perform(t *testing.T, w *processes, e impls.Entry) []string {
	p := &play{scene: newScene(t, w, e, ""), r: &recorder{scripts: map[string]string{}}, w: w}
	timeout := p.base.NodeTimeout // the suite's: no machine is too slow for it
	p.keys, p.base, p.wall.frozen = []string{"lock"}, e.Defaults(0), true
	p.base.NodeTimeout = timeout
	if e.Multi {
		p.keys = append(p.keys, "lock2")
	}
	p.do("FLUSHALL")
	files, _ := filepath.Glob("*.lua")
	for _, f := range files {
		text, err := ours(f)
		if err != nil {
			t.Fatal(err)
		}
		p.r.scripts[text] = "{" + f + "}"
	}
	p.all()
	return p.script
}

// all performs every section.
func (p *play) all() {
	a, b := p.actor("A", nil), p.actor("B", nil)
	g := p.acquire(a)
	p.section("acquire", nil)

	ctx, cancel := context.WithCancel(p.ctx)
	b.pause = cancel // one attempt: the first pause ends it
	waiting := make(chan impls.Grant, 1)
	if p.listens() {
		go func() { waiting <- p.acquire(b) }()
		p.until("B waits", func() bool {
			return strings.Count(strings.Join(p.r.text(), "\n"), "B EVAL") ==
				2 && p.answered()
		})
		if p.entry.Multi { // two unlocks at once would wake it at a moment that differs from run to run
			b.pause()
			<-waiting
		}
	} else if _, err := b.Acquire(ctx); err == nil && p.keeps() {
		p.t.Error("B was granted what A holds")
	}
	cancel()
	p.section("contended", nil)

	_ = a.Release(p.ctx, g)
	if p.listens() && !p.entry.Multi {
		_ = b.Release(p.ctx, <-waiting)
	}
	p.section("release", nil)

	g = p.acquire(a)
	p.expire()
	ctx, cancel = context.WithCancel(p.ctx)
	b.pause = cancel
	late, err := b.Acquire(ctx)
	cancel()
	_ = a.Release(p.ctx, g)
	p.section("take-over", func() {
		if err == nil {
			_ = b.Release(p.ctx, late)
		}
	})
	if p.entry.Watchdog {
		p.renewal()
	}
}

func (p *play) renewal() {
	p.do("DEL", "lock", "lock2")
	a := p.actor("A", func(o *impls.Options) { o.MaxRenewals = 1 })
	g := p.acquire(a)
	close(a.third)
	p.until("renewed once", func() bool { return a.env.running.Load() == 0 })
	_ = a.Release(p.ctx, g)
	p.section("renewal", nil)
}

// keeps reports whether a hold of the lock is anywhere to be seen.
func (p *play) keeps() bool { return p.entry.Document != "control" }

// answered reports whether every command so far has its reply.
func (p *play) answered() bool {
	lines := p.r.text()
	return len(lines) > 0 && strings.Contains(lines[len(lines)-1], " -> ")
}

func (p *play) acquire(u *actor) impls.Grant {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	u.pause = cancel
	g, err := u.Acquire(ctx)
	if err != nil && !errors.Is(err, impls.ErrHeld) {
		p.t.Errorf("acquire: %v", err)
	}
	return g
}

func (p *play) until(what string, is func() bool) {
	if err := p.eventually(what, is); err != nil {
		p.t.Fatal(err)
	}
}

// section ends a section, and does what belongs to none.
func (p *play) section(name string, after func()) {
	lines := p.r.text()
	part := slices.Clone(lines[p.shown:])
	inParallel(part)
	p.script = append(append(p.script, "== "+name), part...)
	if after != nil {
		after()
	}
	p.shown = len(p.r.text())
}

// inParallel sorts neighbours that one client sends at the same time to several servers or for
// several keys.
func inParallel(lines []string) {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && shape(lines[to]) == shape(lines[from]) {
			to++
		}
		slices.Sort(lines[from:to])
		from = to
	}
}

func shape(line string) string {
	words := []string{}
	for _, w := range strings.Fields(line) {
		if !strings.Contains(w, "lock") && (len(w) != 2 || w[0] != 'n') || strings.Contains(w, ".lua") {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// expire lets the lease of whatever is held end: the clients' clocks go on, and the servers forget
// keys that have a lease.
func (p *play) expire() {
	p.wall.slept.Add(int64(p.base.TTL + 2*time.Millisecond))
	for _, c := range p.admin {
		for _, k := range p.keys {
			if ttl, err := c.PTTL(p.ctx, k).Result(); err == nil && ttl > 0 {
				c.PExpire(p.ctx, k, time.Millisecond)
			}
			p.until("the key is gone", func() bool {
				ttl, err := c.PTTL(p.ctx, k).Result()
				return err ==
					nil && ttl < 0
			})
		}
	}
}

// actor is a client with a recorded connection, predictable owner values, and pauses that its test
// decides on.
type actor struct {
	impls.Lock
	env   *counted
	name  string
	drawn atomic.Int64
	pause func()        // called instead of a pause between two attempts
	third chan struct{} // closed when a third of a lease is over
	impls.Env
}

func (p *play) actor(name string, change func(*impls.Options)) *actor {
	a := &actor{name: name, third: make(chan struct{}), env: &counted{Env: p.environment.env(p.ctx),
		wall: p.wall}}
	a.Env = a.env
	var all []redis.UniversalClient
	n := 1
	if p.entry.Topology == impls.Independent {
		n = servers
	}
	for i := range n {
		who := name
		if n > 1 {
			who = fmt.Sprintf("%s n%d", name, i)
		}
		c := p.r.dial(who, p.w.addrs[i])
		p.t.Cleanup(func() { c.Close() })
		all = append(all, c)
	}
	o := p.base
	if change != nil {
		change(&o)
	}
	var err error
	a.Lock, err = p.entry.New(impls.Setup{Env: a, Redis: all, Keys: p.keys, Options: o})
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

// Token counts.
func (a *actor) Token() string { return fmt.Sprint(a.name, a.drawn.Add(1)) }

// Sleep ends the call that pauses. A watchdog's pause, a third of a lease, lasts until the test
// says so.
func (a *actor) Sleep(ctx context.Context, d time.Duration) error {
	if d != watch {
		a.pause()
		return ctx.Err()
	}
	select {
	case <-a.third:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// watch is a watchdog's pause: a third of 30 s.
const watch = 10 * time.Second
