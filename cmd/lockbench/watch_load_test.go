package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/redis/go-redis/v9"
)

// watchedLibraries are locks of five languages, with the shape that watch must recognise.
var watchedLibraries = map[string]string{
	"redis-py": "SET NX", "node-redlock-5": "script", "redisson": "hash with counter",
	"rslock": "SET NX", "bsm-redislock": "script with SET NX",
}

// library is a process whose clients take and release a lock until it is stopped.
type library struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	stop   atomic.Bool
	ended  chan struct{}
	grants atomic.Int64
}

// startLibrary starts a process of an adapter that uses a key.
func startLibrary(t *testing.T, name, addr string, client int) *library {
	a, err := adapters.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := adapters.Setup(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	l := &library{cmd: in.Command(), ended: make(chan struct{})}
	l.orders, err = l.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := proc.Start(l.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proc.KillGroup(l.cmd.Process.Pid); _ = l.cmd.Wait() })
	u, err := a.Use("")
	if err != nil {
		t.Fatal(err)
	}
	go l.cycle(adapter.Config{Do: "config", Protocol: adapter.Protocol, Client: client,
		Redis: []string{addr}, Keys: []string{"lock:" + name}, TTL: 30_000, Options: u.Options},
		bufio.NewScanner(answers))
	return l
}

// cycle gives the orders of one client: take the lock, release it, and again.
func (l *library) cycle(c adapter.Config, answers *bufio.Scanner) {
	defer close(l.ended)
	orders := json.NewEncoder(l.orders)
	_ = orders.Encode(c)
	var n int
	for answers.Scan() {
		a, err := adapter.ParseAnswer(answers.Bytes())
		switch {
		case err != nil:
			return
		case a.Is == "begun" || a.Is == "lost" || a.Is == "gap":
		case a.Is == "acquired":
			l.grants.Add(1)
			time.Sleep(10 * time.Millisecond) // its work
			_ = orders.Encode(adapter.Release(a.N))
		case l.stop.Load():
			l.orders.Close()
			return
		default:
			time.Sleep(100 * time.Millisecond) // other work
			n++
			_ = orders.Encode(adapter.Acquire(n, c.Keys, 2e9))
		}
	}
}

// fill sends cycles of a lock so that the servers execute so many commands a second in all.
func (p *watchedPlace) fill(ctx context.Context, rate int64) {
	const every = 100 * time.Millisecond
	c := patientClient(p.front.addr)
	defer c.Close()
	give := redis.NewScript(compareAndDelete)
	run, first := "", int64(0)
	began := time.Now()
	for n := 0; ctx.Err() == nil; time.Sleep(every) {
		info := c.InfoMap(ctx, "server", "stats").Val()
		total, _ := strconv.ParseInt(info["Stats"]["total_commands_processed"], 10, 64)
		if id := info["Server"]["run_id"]; id != run { // another server
			run, first, began = id, total, time.Now()
		}
		missing := rate*int64(time.Since(began)/time.Millisecond)/1000 - (total - first)
		pipe := c.Pipeline()
		for range min(missing, rate) / 4 { // a script counts with its two commands
			n++
			key := fmt.Sprintf("lock:%d", n%20)
			pipe.Do(ctx, "SET", key, fmt.Sprintf("filler-%d", n), "NX", "PX", longLease)
			give.EvalSha(ctx, pipe, []string{key}, fmt.Sprintf("filler-%d", n))
		}
		if _, err := pipe.Exec(ctx); redis.HasErrorPrefix(err, "NOSCRIPT") {
			give.Load(ctx, c)
		}
	}
}

// front is a fixed address whose server can be replaced, as of a service with a failover.
type front struct {
	addr  string
	pings atomic.Int64 // that passed to the server
	to    atomic.Pointer[string]
	mu    sync.Mutex
	open  map[net.Conn]bool
}

func newFront(t *testing.T, to string) *front {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{addr: l.Addr().String(), open: map[net.Conn]bool{}}
	f.to.Store(&to)
	t.Cleanup(func() { l.Close(); f.replace(to) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.pass(c)
		}
	}()
	return f
}

func (f *front) pass(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", *f.to.Load())
	if err != nil {
		return
	}
	defer s.Close()
	f.mu.Lock()
	f.open[c] = true
	f.mu.Unlock()
	go func() { _, _ = io.Copy(counting{s, f}, c); s.Close() }()
	_, _ = io.Copy(c, s)
	f.mu.Lock()
	delete(f.open, c)
	f.mu.Unlock()
}

// counting counts the PINGs of a front on their way to the server.
type counting struct {
	io.Writer
	*front
}

func (c counting) Write(b []byte) (int, error) {
	c.pings.Add(int64(bytes.Count(b, []byte("PING"))))
	return c.Writer.Write(b)
}

// replace sends clients to another server, and ends their connections.
func (f *front) replace(to string) {
	f.to.Store(&to)
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.open {
		c.Close()
	}
}
