package sim_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// TestNothingOutlivesARun ends runs in every way that they can end, and counts goroutines.
func TestNothingOutlivesARun(t *testing.T) {
	before := runtime.NumGoroutine()
	mine := errors.New("mine")
	p := plan(t, harness.RunOptions{Impl: "redisson", Nemesis: "none"})
	cfg := sim.Config{Clients: p.Clients, Worker: p.Worker()}
	for name, c := range map[string]struct {
		cfg  sim.Config
		f    func(*sim.Environment) error
		want string
	}{
		"an error": {cfg, func(*sim.Environment) error { return mine }, "mine"},
		"a panic":  {cfg, func(*sim.Environment) error { panic("boo") }, "panic in the simulator: boo"},
		"in the middle of a run": {cfg, func(w *sim.Environment) error {
			ctx, stop := context.WithCancelCause(context.Background())
			go func() { time.Sleep(300 * time.Millisecond); stop(mine) }()
			return harness.Run(ctx, p, w, harness.Output{History: new(strings.Builder),
				Trace: new(strings.Builder)})
		}, "mine"},
		"clients that stand still": {cfg, func(w *sim.Environment) error { return w.PauseClient(1) }, ""},
		"a bad topology":           {sim.Config{Topology: "ring"}, nil, `no topology "ring"`},
		"a Redis setting": {sim.Config{RedisConfig: []string{"min-replicas-to-write", "1"}}, nil,
			"no Redis settings"},
		"an unknown lock": {sim.Config{Clients: 1}, nil, "unknown lock"},
	} {
		err := sim.Run(c.cfg, c.f)
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestEveryCapability carries out every fault of the nemesis' table that the topologies here allow:
// the environment has all the capabilities.
func TestEveryCapability(t *testing.T) {
	for _, f := range faults() {
		fault, lock := f.name, "setnx-expire"
		if e, _, _ := nemesis.Find(fault); e.Needs == nemesis.Independent {
			lock = "redlock"
		}
		p, err := quick(lock, fault, 1)
		if errors.Is(err, errNotHere) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", fault, err)
			continue
		}
		err = sim.Run(sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
			Clients: p.Clients, Worker: p.Worker()}, func(w *sim.Environment) error {
			return nemesis.Possible(w, p.Scenario)
		})
		if err != nil {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// quietly keeps go-redis from resolving its server's name, which makes a channel that the next
// bubble must not use.
var quietly = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}

// TestRunClient lets code that knows nothing of lockbench use go-redis in the simulator.
func TestRunClient(t *testing.T) {
	var got, took string
	err := sim.Run(sim.Config{Clients: 1, Bare: true, Topology: nemesis.Independent, Masters: 3},
		func(w *sim.Environment) error {
			done := make(chan struct{})
			err := w.RunClient(0, func(p sim.Client) {
				defer close(done)
				c := redis.NewClient(&redis.Options{Addr: "n2:6379", Dialer: p.Dial, Protocol: 2,
					DisableIdentity: true, MaintNotificationsConfig: quietly})
				defer c.Close()
				begin := time.Now()
				c.Set(p.Context, "k", "v", time.Second)
				time.Sleep(900 * time.Millisecond)
				got = c.Get(p.Context, "k").Val()
				took = time.Since(begin).Round(100 * time.Millisecond).String()
			})
			w.RunUntil(time.Minute, func() bool {
				select {
				case <-done:
					return true
				default:
					return false
				}
			})
			return err
		})
	if err != nil || got != "v" || took != "900ms" {
		t.Errorf("got %q after %s: %v", got, took, err)
	}
}

// TestACommandThatIsLackingBreaksTheRun: an error reply would be a verdict about the simulator.
func TestACommandThatIsLackingBreaksTheRun(t *testing.T) {
	for command, want := range map[string]string{"GEOADD": "GEOADD", "NONSENSE": ""} {
		var got string
		err := sim.Run(sim.Config{Clients: 1, Bare: true}, func(w *sim.Environment) error {
			err := w.RunClient(0, func(p sim.Client) {
				c := redis.NewClient(&redis.Options{Addr: "n0:6379", Dialer: p.Dial, Protocol: 2,
					DisableIdentity: true, MaintNotificationsConfig: quietly})
				defer c.Close()
				c.Do(p.Context, command, "key", "1", "member")
			})
			for err == nil {
				r, ok := w.Next(t.Context(), int64(time.Second))
				if !ok {
					break
				}
				got += r.Failed
			}
			return err
		})
		if err != nil || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s breaks the run with %q, want %q: %v", command, got, want, err)
		}
	}
}

// TestConnectionsEndTogether: a client that sees one connection of a refused link end finds the
// others ended as well, however Go schedules its goroutines.
func TestConnectionsEndTogether(t *testing.T) {
	const many = 2000
	var open, ended atomic.Int64
	all := int64(0)
	err := sim.Run(sim.Config{Clients: 1, Bare: true}, func(w *sim.Environment) error {
		err := w.RunClient(0, func(p sim.Client) {
			var all [many]net.Conn
			for i := range all {
				if all[i], _ = p.Dial(p.Context, "", "n0"); all[i] == nil {
					return
				}
			}
			for i, c := range all {
				go func() {
					_, _ = c.Read(make([]byte, 1))
					ended.Add(1)
					other, _ := all[many-1-i].(syscall.Conn).SyscallConn()
					if other.Read(nil) == nil {
						open.Add(1)
					}
				}()
			}
		})
		w.RunUntil(time.Second, func() bool { return false })
		err = errors.Join(err, w.Refuse("c0>n0"))
		w.RunUntil(2*time.Second, func() bool { return false })
		all = ended.Load()
		return err
	})
	if n := open.Load(); err != nil || n > 0 || all != many {
		t.Errorf("%d of %d connections ended, and %d were open when another had ended: %v", all, many,
			n, err)
	}
}
