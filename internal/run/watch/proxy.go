package watch

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
)

// Proxy watches the clients that connect to it. It sees their replies and no commands of others, so
// that any reply may show that the key has changed.
type Proxy struct {
	Dial   func() (net.Conn, error)
	Listen string // host:port for the clients, on loopback
	For    time.Duration
	Ready  func(address string)
	Tick   func(*Judge) // as in Live

	mu      sync.Mutex
	judge   *Judge
	scripts map[string]bool // the SHA-1 of those that the model has, at most maxScripts
	clients map[context.Context]*peer
	opened  int              // connections
	busy    map[string]*busy // by key
	slowest int64            // the longest time that an answer took, µs
}

// busy is the commands for one key that are under way.
type busy struct {
	n     int
	mixed bool // two of them were under way at once, so that their order is unknown
	wrote int  // how many of them changed the key
}

// peer is a connection of a client.
type peer struct {
	number int
	inTx   bool
}

// Run passes commands on until the time is over or the context ends.
func (p *Proxy) Run(ctx context.Context, o Options) (*Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, p.For)
	defer cancel()
	p.judge, p.scripts, p.busy = New(o), map[string]bool{}, map[string]*busy{}
	p.clients = map[context.Context]*peer{}
	c, err := p.Dial()
	if err != nil {
		return nil, err
	}
	c.Close()
	t := tap.New(p, tap.Settings{Address: p.Listen, Script: p.keepScript,
		Dial: func(context.Context, string) (net.Conn, error) { return p.Dial() }})
	at, err := t.Listen(tap.Ways{Nodes: map[string]string{"redis": "redis"}})
	if err != nil {
		return nil, err
	}
	p.Ready(at)
	for tick := time.NewTicker(time.Second); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-tick.C:
			p.mu.Lock()
			p.judge.release()
			if p.Tick != nil {
				p.Tick(p.judge)
			}
			p.mu.Unlock()
		}
	}
	t.Close()
	return p.judge.Finish(), nil
}

func now() int64 { return time.Now().UnixMicro() }

func (p *Proxy) keepScript(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id := history.ScriptID(text); !p.scripts[id] && len(p.scripts) < maxScripts {
		p.scripts[id] = true
		p.judge.run(&lock{}, now(), []string{"SCRIPT", "LOAD", text})
	}
}

// BeforeSend and Sent implement tap.Observer.
func (p *Proxy) BeforeSend(context.Context, string, []string) {}

func (p *Proxy) Sent(ctx context.Context, _ string, args []string) history.Command {
	if len(args) > 1 && is(args[0], "eval") {
		p.keepScript(args[1])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	from := p.peer(ctx)
	from.inTx = from.inTx && !is(args[0], "exec", "discard") || is(args[0], "multi")
	c := history.Command{Process: from.number, Sent: now(), Args: shorten(slices.Clone(args))}
	if from.inTx {
		c.Err = "DISCARD may end it, and then its reply says nothing"
	}
	for _, l := range p.judge.touched(&step{Shown: history.Shown{Args: c.Args}}) {
		b := p.busy[l.name]
		if b == nil {
			b = &busy{}
			p.busy[l.name] = b
		}
		b.mixed = b.mixed || b.n > 0
		b.n++
	}
	return c
}

// peer returns the connection of a command.
func (p *Proxy) peer(ctx context.Context) *peer {
	if c := p.clients[ctx]; c != nil {
		return c
	}
	p.opened++
	c := &peer{number: p.opened}
	p.clients[ctx] = c
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.clients, ctx)
	})
	return c
}

// Replied implements tap.Observer.
func (p *Proxy) Replied(_ context.Context, sent history.Command, r tap.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j, at := p.judge, now()
	p.slowest = max(p.slowest, at-sent.Sent)
	s := &step{lo: sent.Sent, hi: at, Shown: history.Shown{At: at, Args: sent.Args,
		From: fmt.Sprintf("connection-%d", sent.Process)}}
	if j.First == 0 {
		j.First = sent.Sent
	}
	j.Commands++
	j.steps++
	j.Last, j.last = at, at
	j.leases = nil // another process may give the lock a lease
	locks, one := j.touched(s), &busy{}
	for _, l := range locks {
		one = p.busy[l.name]
		if one.n--; one.n == 0 {
			delete(p.busy, l.name)
		}
	}
	if len(locks) == 1 && r.Err == "" && sent.Err == "" && p.fit(locks[0], s, r.Text, one.mixed) {
		before := locks[0].value
		j.judge(locks[0], s)
		if before != locks[0].value {
			one.wrote++
		}
		if one.mixed && one.wrote > 1 {
			locks[0].forget() // the last change may not have been the last
		}
		return
	}
	for _, l := range locks {
		l.forget()
	}
}

// other is the value of a key that another client has.
const other = "\x00another"

// fit makes the model of a key fit the reply to a command, and finds the commands of its script. It
// returns false if no state of the key explains the reply.
func (p *Proxy) fit(l *lock, s *step, reply string, mixed bool) bool {
	j := p.judge
	if l.now != nil && !l.now.plain && !l.alive(s) {
		j.settleExpiry(l, s)
	}
	if l.known && p.gives(l, s, reply, l.value) {
		return true
	}
	absent := p.gives(l, s, reply, nil)
	taken := !absent && p.gives(l, s, reply, engine.Text(other))
	h := l.now
	if l.known && h != nil && !h.plain && !mixed && (absent || taken) &&
		(h.until == 0 || s.hi+stampError+p.slowest < h.until) {
		j.tell(l, s.At, Vanished, h, "a reply shows that the key of a running hold is "+
			map[bool]string{true: "gone", false: "another's"}[absent],
			witness(h.taken, l.name), witness(s.Shown, l.name))
		j.end(l, vanished, s.At)
	}
	l.forget()
	switch {
	case mixed || !absent && !taken:
		return false
	case taken:
		l.value = engine.Text(other)
		l.now = &hold{plain: true, value: other}
	}
	l.known = true
	return p.gives(l, s, reply, l.value)
}

// gives reports whether a command gives a reply if the key has a value, and sets the commands of
// its script.
func (p *Proxy) gives(l *lock, s *step, reply string, v *engine.Value) bool {
	var effects [][]string
	e := p.judge.model
	e.Effects, e.Lacks = &effects, ""
	args := slices.Clone(s.Args)
	if is(args[0], "eval") {
		args[0] = "evalsha"
	}
	if p.judge.run(&lock{place: l.place, value: v}, s.At, args) != reply || e.Lacks != "" {
		return false
	}
	s.inner = nil
	for _, words := range effects {
		s.inner = append(s.inner, history.Shown{At: s.At, From: "lua", Script: true, DB: s.DB,
			Args: shorten(words)})
	}
	return true
}
