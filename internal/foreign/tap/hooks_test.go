package tap_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// TestHooksAndTapSeeTheSame runs every lock, through its hooks and through a tap at once, and wants
// both to have seen the same commands and replies, on the simulator's Redis and on a real one. The
// tap's stamps lie within the hooks'.
func TestHooksAndTapSeeTheSame(t *testing.T) {
	workloads.Silence()
	for name, redis := range map[string]func(*testing.T) string{"simulated": tap.Serve,
		"real": func(t *testing.T) string { return startRedis(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var nodes []string
			for range masters {
				nodes = append(nodes, redis(t))
			}
			for _, l := range impls.All() {
				for _, variant := range append(l.Variants[min(1, len(l.Variants)):], "") {
					bothSee(t, nodes, l, variant, 0)
				}
			}
			l, err := impls.Find("token-lua")
			if err != nil {
				t.Fatal(err)
			}
			bothSee(t, nodes, l, "", 1) // WAIT comes in a pipeline
		})
	}
}

// masters is how many a lock over independent ones uses.
const masters = 5

// startRedis starts a redis-server for one test.
func startRedis(t testing.TB) string {
	t.Helper()
	testenv.Part(t, "redis")
	host, port := testenv.Address()
	dir := t.TempDir()
	node, err := server.StartNode(server.NodeConfig{Name: "n0", Host: host, Port: port,
		Dir: dir, Log: filepath.Join(dir, "log")})
	if err == nil {
		t.Cleanup(node.Kill)
		err = node.Ready()
	}
	if err != nil {
		t.Fatal(err)
	}
	return node.Addr()
}

// bothSee lets two clients go through a few cycles of a lock, and returns what the tap saw.
func bothSee(t *testing.T, nodes []string, l impls.Entry, variant string, wait int) (
	tapped []history.Command) {
	cfg := workloads.Config{
		Impl: l.Name, Variant: variant, TTL: history.Duration(cmp.Or(l.TTL, 2*time.Second)),
		Poll:           history.Duration(2 * time.Millisecond),
		AcquireTimeout: history.Duration(300 * time.Millisecond),
		ClientTimeout:  history.Duration(5 * time.Second),
		Settings: impls.Settings{WaitReplicas: wait,
			WaitTimeout: history.Duration(10 * time.Millisecond)},
	}
	if l.Topology == impls.Independent {
		cfg.NodeTimeout = cfg.ClientTimeout // on a machine that is busy, too
	} else {
		nodes = nodes[:1]
	}
	order := workloads.Order{Do: workloads.DoCycle, Hold: history.Duration(time.Millisecond)}
	for k := range 2 {
		cfg.Keys = append(cfg.Keys, fmt.Sprintf("%s:%s:%d:%d", l.Name, variant, wait, k))
	}
	if l.Multi {
		order.Keys = []int{0, 1}
	}
	var clients sync.WaitGroup
	var two [2]*both
	for process := range 2 {
		cfg := cfg
		cfg.Process = process
		b := &both{t: t, process: process, next: make(chan struct{}, 1)}
		two[process] = b
		clients.Go(func() {
			b.play(cfg, nodes, order)
			b.compare(l.Name + " " + variant)
		})
	}
	clients.Wait()
	tapped = append(two[0].tapped, two[1].tapped...)
	slices.SortFunc(tapped, func(x, y history.Command) int { return cmp.Compare(x.Sent, y.Sent) })
	return tapped
}

// both is one client with its two traces.
type both struct {
	t       *testing.T
	process int
	next    chan struct{}
	mu      sync.Mutex
	hooked  []history.Command
	tapped  []history.Command
}

func (*both) now() int64 { return time.Now().UnixNano() }

// play lets the client go through its cycles.
func (b *both) play(cfg workloads.Config, nodes []string, order workloads.Order) {
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
	p := tap.New(b, tap.Settings{Dial: dial})
	defer p.Close()
	for i, address := range nodes {
		node := fmt.Sprintf("n%d", i)
		address, err := p.Listen(tap.Ways{Nodes: map[string]string{node: address}})
		if err != nil {
			b.t.Error(err)
			return
		}
		cfg.Nodes = append(cfg.Nodes, map[string]string{node: address})
	}
	life, end := context.WithCancel(b.t.Context())
	defer end()
	env := workloads.NewEnv(life, uint64(cfg.Process)+1,
		func() time.Duration { return time.Duration(b.now()) })
	w, err := workloads.NewWorker(life, cfg, env, dial, b.report)
	if err == nil {
		err = w.Connect()
	}
	if err != nil {
		b.t.Error(err)
		return
	}
	defer w.Close()
	go w.Run()
	for order.N = range 3 {
		order.N++
		_ = w.Handle(order)
		<-b.next
	}
}

// report takes what the client says of itself.
func (b *both) report(r workloads.Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Done != nil:
		b.next <- struct{}{}
	case r.Command != nil && r.Command.Recv == 0:
		b.hooked = append(b.hooked, *r.Command)
	case r.Command != nil:
		c := &b.hooked[r.Command.Seq-1]
		c.Reply, c.Err, c.Recv = r.Command.Reply, r.Command.Err, r.Command.Recv
	}
}

// BeforeSend is tap.Observer.
func (b *both) BeforeSend(context.Context, string, []string) {}

// Sent is tap.Observer.
func (b *both) Sent(_ context.Context, node string, args []string) history.Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := history.Command{Process: b.process, Seq: len(b.tapped) + 1, Node: node, Args: args,
		Sent: b.now()}
	b.tapped = append(b.tapped, c)
	return c
}

// Replied is tap.Observer.
func (b *both) Replied(_ context.Context, sent history.Command, r tap.Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &b.tapped[sent.Seq-1]
	c.Reply, c.Err, c.Recv = r.Text, r.Err, b.now()
}

// compare wants the same commands, each with its stamps within those of the hook.
func (b *both) compare(lock string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	order := func(x, y history.Command) int {
		return cmp.Or(strings.Compare(shown(x), shown(y)), cmp.Compare(x.Sent, y.Sent))
	}
	slices.SortFunc(b.hooked, order)
	slices.SortFunc(b.tapped, order)
	silent := lock == "none " || lock == "local " // they ask no Redis
	if len(b.hooked) != len(b.tapped) || len(b.hooked) == 0 && !silent {
		b.t.Errorf("%s: %d commands by hooks, %d by the tap", lock, len(b.hooked), len(b.tapped))
		return
	}
	for i, h := range b.hooked {
		c := b.tapped[i]
		if shown(h) != shown(c) {
			b.t.Errorf("%s: by hooks\n  %s\nand by the tap\n  %s", lock, shown(h), shown(c))
			return
		}
		if h.Sent > c.Sent || c.Sent > c.Recv || c.Recv > h.Recv {
			b.t.Errorf("%s: %s: from %d to %d by hooks, from %d to %d by the tap", lock, h, h.Sent, h.Recv,
				c.Sent, c.Recv)
		}
	}
}

func shown(c history.Command) string {
	return fmt.Sprintf("%s %q: %q %q", c.Node, c.Args, c.Reply, c.Err)
}
