package workloads_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// startRedis starts a redis-server for one test.
func startRedis(t *testing.T) string {
	t.Helper()
	testenv.Part(t, "redis")
	workloads.Silence()
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

// pool is a few workers in this process, with the harness' part played by the test.
type pool struct {
	t        *testing.T
	mu       sync.Mutex
	resource workloads.Resource
	check    *history.Validator
	events   []history.Event
	done     sync.WaitGroup
}

// work lets clients go through cycles of a workload and returns all events.
func work(t *testing.T, cfg workloads.Config, shape workloads.Shape, cycles int,
	before func(*pool)) *pool {
	t.Helper()
	c := &pool{t: t, check: history.NewValidator()}
	if before != nil {
		before(c)
	}
	cfg.Nodes, cfg.Master = []map[string]string{{"n0": startRedis(t)}}, "n0"
	for k := range shape.Keys {
		cfg.Keys = append(cfg.Keys, "lock:"+string(rune('0'+k)))
	}
	gen := workloads.NewGenerator(shape)
	for i := range shape.Clients {
		var orders []workloads.Order
		for range cycles {
			o, _ := gen.Next(i)
			orders = append(orders, o)
		}
		cfg.Process = i
		c.hire(cfg, orders)
	}
	c.done.Wait()
	return c
}

func (c *pool) hire(cfg workloads.Config, orders []workloads.Order) {
	life, end := context.WithCancel(context.Background())
	start := time.Now()
	env := workloads.NewEnv(life, uint64(cfg.Process)+1, func() time.Duration {
		return time.Since(start)
	})
	var w *workloads.Worker
	next := make(chan struct{}, 1)
	w, err := workloads.NewWorker(life, cfg, env, (&netDialer{}).dial, func(r workloads.Report) {
		c.report(cfg.Process, w, r, next)
	})
	if err == nil {
		err = w.Connect()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.done.Go(func() {
		var running sync.WaitGroup
		running.Go(w.Run)
		for _, o := range orders {
			if err := w.Handle(o); err != nil {
				c.t.Error(err)
			}
			<-next
		}
		end()
		running.Wait()
		w.Close()
	})
}

type netDialer struct{}

func (netDialer) dial(ctx context.Context, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
}

func (c *pool) report(process int, w *workloads.Worker, r workloads.Report, next chan<- struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.Event != nil:
		e := *r.Event
		if err := c.check.Add(e); err != nil {
			c.t.Errorf("%v: %+v", err, e)
		}
		c.events = append(c.events, e)
	case r.Ask != nil:
		if err := w.Handle(c.resource.Answer(*r.Ask)); err != nil {
			c.t.Error(err)
		}
	case r.Done != nil:
		next <- struct{}{}
	case r.Failed != "":
		c.t.Errorf("client %d: %s", process, r.Failed)
	}
}

// count is the number of events of a type and a function.
func (c *pool) count(kind history.Type, f string) (n int) {
	for _, e := range c.events {
		if e.Type == kind && e.F == f {
			n++
		}
	}
	return n
}

func config(lock string) workloads.Config {
	return workloads.Config{
		Impl: lock, TTL: history.Duration(20 * time.Second), Poll: history.Duration(2 * time.Millisecond),
		AcquireTimeout: history.Duration(20 * time.Second),
		ClientTimeout:  history.Duration(5 * time.Second),
	}
}

func TestCounter(t *testing.T) {
	for lock, safe := range map[string]bool{"token-lua": true, "none": false, "local": false} {
		t.Run(lock, func(t *testing.T) {
			c := work(t, config(lock), workloads.Shape{Body: workloads.Counter, Clients: 3, Keys: 1,
				Hold: 3 * time.Millisecond}, 10, nil)
			got := c.resource.Answer(workloads.Ask{F: history.ReadOp}).Value
			if n := c.count(history.OK, history.WriteOp); n != 30 ||
				c.count(history.OK, history.ReadOp) != 30 {
				t.Fatalf("%d writes, want 30", n)
			}
			if (got == 30) != safe {
				t.Errorf("30 times one more makes %d", got)
			}
		})
	}
}

func TestReentrant(t *testing.T) {
	c := work(t, config("redisson"), workloads.Shape{Body: workloads.Reentrant, Clients: 2, Keys: 1,
		Hold: time.Millisecond}, 4, nil)
	depths, numbers := map[int]int{}, map[[2]int]bool{}
	for _, e := range c.events {
		if e.Type == history.OK && e.F == history.Acquire {
			depths[e.Depth]++
			numbers[[2]int{e.Process, e.N}] = true
		}
	}
	if depths[0] != 8 || depths[1] != 8 || depths[2] != 8 || len(numbers) != 24 {
		t.Errorf("depths %v, %d numbers", depths, len(numbers))
	}
	if n := c.count(history.OK, history.Release); n != 24 {
		t.Errorf("%d releases, want 24", n)
	}
}

func TestMultiNamesAllKeys(t *testing.T) {
	cfg := config("redisson-multi")
	c := work(t, cfg, workloads.Shape{Body: workloads.Multi, Clients: 2, Keys: 3,
		Hold: time.Millisecond}, 5, nil)
	for _, e := range c.events {
		if len(e.Keys) != 2 || e.Key != nil {
			t.Errorf("%+v", e)
		}
	}
	if n := c.count(history.OK, history.Acquire); n != 10 {
		t.Errorf("%d grants, want 10", n)
	}
}

func TestLongWorkIsRenewed(t *testing.T) {
	cfg := config("redisson")
	cfg.TTL = history.Duration(1500 * time.Millisecond)
	c := work(t, cfg, workloads.Shape{Body: workloads.LongWork, Clients: 1, Keys: 1, TTL: cfg.TTL.D()},
		1, nil)
	if n := c.count(history.Extend, ""); n < 2 {
		t.Errorf("%d renewals in two leases", n)
	}
	if c.count(history.OK, history.Release) != 1 {
		t.Error("the lock did not outlast its lease")
	}
}

// TestFencedIsRefused has a newer token in the resource already: every write is old.
func TestFencedIsRefused(t *testing.T) {
	shape := workloads.Shape{Body: workloads.Fenced, Clients: 2, Keys: 1}
	c := work(t, config("redisson-fenced"), shape, 2, nil)
	if n := c.count(history.OK, history.WriteOp); n != 4 {
		t.Errorf("%d writes with growing tokens, want 4", n)
	}
	c = work(t, config("redisson-fenced"), shape, 2, func(c *pool) {
		c.resource.Answer(workloads.Ask{F: history.WriteOp, Token: 1000})
	})
	if n := c.count(history.Fail, history.WriteOp); n != 4 {
		t.Errorf("%d old writes were refused, want 4", n)
	}
}

// TestFinallyIsRecorded lets acquires of the posted Java code be refused: a release of what was
// never granted follows each.
func TestFinallyIsRecorded(t *testing.T) {
	cfg := config("getset-java")
	cfg.AcquireTimeout = history.Duration(time.Nanosecond)
	c := work(t, cfg, workloads.Shape{Body: workloads.Mutex, Clients: 3, Keys: 1,
		Hold: 300 * time.Millisecond}, 3, nil)
	granted := map[[2]int]bool{}
	for _, e := range c.events {
		if e.Type == history.OK && e.F == history.Acquire {
			granted[[2]int{e.Process, e.N}] = true
		}
	}
	if n := c.count(history.Invoke, history.Release); n != 9 {
		t.Errorf("%d releases of 9 acquires, %d of them granted", n, len(granted))
	}
}

func TestBadConfigurationShowsAtOnce(t *testing.T) {
	for name, change := range map[string]func(*workloads.Config){
		"unknown lock":    func(c *workloads.Config) { c.Impl = "getsett" },
		"unknown variant": func(c *workloads.Config) { c.Variant = "x" },
		"no lease":        func(c *workloads.Config) { c.TTL = 0 },
	} {
		cfg := config("token-lua")
		cfg.Keys, cfg.Nodes = []string{"k"}, []map[string]string{{"n0": "127.0.0.1:1"}}
		change(&cfg)
		_, err := workloads.NewWorker(context.Background(), cfg, workloads.NewEnv(context.Background(), 1,
			nil), nil, nil)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAWorkerSaysWhatRedisSays has a Redis that takes no more connections, and says so before it is
// asked.
func TestAWorkerSaysWhatRedisSays(t *testing.T) {
	const said = "ERR max number of clients reached"
	addr := testenv.Listen(t, func(c net.Conn) { _, _ = c.Write([]byte("-" + said + "\r\n")) })
	cfg := config("token-lua")
	cfg.Keys, cfg.Nodes, cfg.Master = []string{"k"}, []map[string]string{{"n0": addr}}, "n0"
	life, end := context.WithCancel(t.Context())
	defer end()
	start := time.Now()
	env := workloads.NewEnv(life, 1, func() time.Duration { return time.Since(start) })
	w, err := workloads.NewWorker(life, cfg, env, netDialer{}.dial, func(workloads.Report) {})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Connect(); err == nil || !strings.Contains(err.Error(), said) {
		t.Errorf("a Redis that is full: %v", err)
	}
}
