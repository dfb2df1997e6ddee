package onredis

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
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/redis/go-redis/v9"
)

// started returns the address of a Redis of this test.
func started(t *testing.T, settings ...string) string {
	t.Helper()
	return node(t, settings...).Addr()
}

// node is a Redis of this test.
func node(t *testing.T, settings ...string) *server.Node {
	t.Helper()
	testenv.Part(t, "redis")
	dir := t.TempDir()
	host, port := testenv.Address()
	n, err := server.StartNode(server.NodeConfig{Name: "theirs", Host: host, Port: port, Dir: dir,
		Log: filepath.Join(dir, "log"), Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	return n
}

// watched watches a Redis while clients do something, and returns the result and the events.
func watched(t *testing.T, addr string, o watch.Options, work func()) (*watch.Summary,
	[]watch.Event) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var ready sync.Once
	begun := make(chan struct{})
	var events []watch.Event
	o.Pattern, o.Emit = "lock:*", func(e watch.Event) { events = append(events, e) }
	go func() {
		select {
		case <-begun:
			work()
		case <-ctx.Done():
		}
		stop()
	}()
	s, err := watch.Live{Dial: func() (net.Conn, error) { return server.ExternalConfig{}.Dial(addr) },
		For: 10 * time.Minute, Tick: func(*watch.Judge) { ready.Do(func() { close(begun) }) }}.Run(ctx, o)
	stop()
	if err != nil {
		t.Fatal(err)
	}
	return s, events
}

// client is a client with one connection.
type client struct {
	t *testing.T
	*redis.Conn
}

func clientOf(t *testing.T, addr string) client {
	c := redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true})
	conn := c.Conn()
	t.Cleanup(func() { conn.Close(); c.Close() })
	return client{t, conn}
}

func (c client) do(args ...any) {
	if err := c.Do(context.Background(), args...).Err(); err != nil && err != redis.Nil {
		c.t.Errorf("%v: %v", args, err)
	}
}

// The scripts of locks.
const (
	give = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end
return 0`
	prolong = `if redis.call("get", KEYS[1]) == ARGV[1] then
return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`
	grab  = `redis.call("del", KEYS[1]) return ARGV[1]`
	enter = `if redis.call("exists", KEYS[1]) == 0 or redis.call("hexists", KEYS[1], ARGV[2]) == 1 then
redis.call("hincrby", KEYS[1], ARGV[2], 1) redis.call("pexpire", KEYS[1], ARGV[1]) return nil end
return redis.call("pttl", KEYS[1])`
	leave = `if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call("hincrby", KEYS[1], ARGV[1], -1) > 0 then return 0 end
return redis.call("del", KEYS[1])`
)

const (
	brief = 60     // ms, a lease that ends in the test
	long  = 600000 // ms, a lease that does not
)

func pass() { time.Sleep(2 * brief * time.Millisecond) }

// TestAVanishedKeyIsFound lets the server evict the key of a running hold.
func TestAVanishedKeyIsFound(t *testing.T) {
	addr := started(t)
	s, events := watched(t, addr, watch.Options{}, func() {
		c := clientOf(t, addr)
		c.do("SET", "lock:x", "0123456789", "NX", "PX", long)
		for !strings.Contains(c.Info(t.Context(), "commandstats").Val(), "cmdstat_pttl:") {
			time.Sleep(10 * time.Millisecond) // until the watch has asked for its life
		}
		c.do("CONFIG", "SET", "maxmemory-policy", "volatile-ttl")
		c.do("CONFIG", "SET", "maxmemory", "1")
		_ = c.Do(t.Context(), "SET", "other", "1").Err() // OOM: there is nothing else to evict
		c.do("CONFIG", "SET", "maxmemory", "0")
	}) // and it asks again before it ends
	if len(events) != 1 || events[0].Kind != watch.Vanished ||
		!strings.Contains(events[0].Text, "evicted") {
		t.Errorf("%s\n%v", s.Answer, events)
	}
}

// TestAKeyOfBeforeIsUnknown begins in the middle of a hold, of a key with a name that is hard to
// read. Its next holder is known.
func TestAKeyOfBeforeIsUnknown(t *testing.T) {
	addr := started(t)
	const key = "lock:[a] b"
	a, b := clientOf(t, addr), clientOf(t, addr)
	a.do("SET", key, "aaaaaaaa", "NX", "PX", long)
	s, events := watched(t, addr, watch.Options{Clients: true}, func() {
		b.do("SET", key, "bbbbbbbb", "NX", "PX", brief)
		a.do("DEL", key)
		b.do("SET", key, "bbbbbbbb", "NX", "PX", brief)
		pass()
		b.do("DEL", key)
	})
	if len(events) != 1 || events[0].Kind != watch.Overrun || s.Keys[0].Acquired != 1 {
		t.Errorf("%s\n%v", s.Answer, events)
	}
}

// TestAUserWithFewRights may only watch, so that evictions and orphans of single keys stay unseen.
func TestAUserWithFewRights(t *testing.T) {
	addr := started(t)
	clientOf(t, addr).do("ACL", "SETUSER", "watcher", "on", ">x", "+monitor", "+info", "+ping")
	ctx, stop := context.WithCancel(t.Context())
	var begun sync.Once
	e := server.ExternalConfig{User: "watcher", Password: "x"}
	s, err := watch.Live{Dial: func() (net.Conn, error) { return e.Dial(addr) }, For: time.Minute,
		Tick: func(*watch.Judge) {
			begun.Do(func() {
				go func() {
					defer stop()
					a := clientOf(t, addr)
					a.do("DEL", "lock:x")
					a.do("SET", "lock:x", "aaaaaaaa", "NX", "PX", long)
					a.do("EVAL", give, 1, "lock:x", "aaaaaaaa")
				}()
			})
		}}.Run(ctx, watch.Options{Pattern: "lock:*"})
	if err != nil || s.Exit != 0 || s.Taken != 1 || s.Keys[0].Released != 1 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestAServerThatForbidsMonitor wants one line that says what to do.
func TestAServerThatForbidsMonitor(t *testing.T) {
	addr := started(t)
	clientOf(t, addr).do("ACL", "SETUSER", "reader", "on", ">x", "~*", "+@read", "+info", "+ping")
	for want, e := range map[string]server.ExternalConfig{
		"+monitor":        {User: "reader", Password: "x"},
		"are refused":     {User: "reader", Password: "wrong"},
		"no Redis answer": {TLS: true},
	} {
		_, err := watch.Live{Dial: func() (net.Conn, error) { return e.Dial(addr) },
			For: time.Minute}.Run(t.Context(), watch.Options{Pattern: "*"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAServerThatStopsAnswering wants the watch to end all the same.
func TestAServerThatStopsAnswering(t *testing.T) {
	n := node(t)
	var pause sync.Once
	dial := func() (net.Conn, error) { return server.ExternalConfig{}.Dial(n.Addr()) }
	s, err := watch.Live{Dial: dial, For: time.Second, Tick: func(*watch.Judge) {
		pause.Do(func() {
			if err := n.Pause(); err != nil {
				t.Error(err)
			}
		})
	}}.Run(t.Context(), watch.Options{Pattern: "*"})
	if err != nil || len(s.Lost) == 0 {
		t.Errorf("%v, %+v", err, s)
	}
}
