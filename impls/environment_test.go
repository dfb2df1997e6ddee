package impls_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// environment is where the suite runs. It yields one more client: a client for each of n
// independent servers. Every call must give the same servers.
type environment interface {
	connect(n int) []redis.UniversalClient
	env(life context.Context) impls.Env // whose goroutines end with life
	// calls f where the environment's connections and clocks work
	host(t *testing.T, f func(environment))
	atEnd(t *testing.T, f func()) // calls f there when all is over
}

// servers is how many independent servers an environment must have.
const servers = 3

// real is the environment of redis-server processes; nil if there are none, and why says so.
var real struct {
	environment
	why error
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil { // the tests mostly sleep
		panic(err)
	}
	workloads.Silence()
	w, stop, err := startServers(servers)
	real.environment, real.why = w, err
	code := m.Run()
	if err == nil {
		stop()
	}
	os.Exit(code)
}

// needRedis skips the test if there is no redis-server, or fails it where one is required.
func needRedis(t *testing.T) environment {
	t.Helper()
	if real.why == nil {
		return real.environment
	}
	testenv.Part(t, "redis")
	t.Fatal(real.why)
	return nil
}

// processes is an environment of real servers.
type processes struct {
	addrs []string
	seed  atomic.Uint64
}

func (p *processes) connect(n int) []redis.UniversalClient {
	var all []redis.UniversalClient
	for _, addr := range p.addrs[:n] {
		all = append(all, redis.NewClient(options(addr)))
	}
	return all
}

func (p *processes) env(life context.Context) impls.Env {
	start := time.Now()
	return workloads.NewEnv(life, p.seed.Add(1), func() time.Duration {
		return time.Since(start) +
			time.Hour
	})
}

func (p *processes) host(_ *testing.T, f func(environment)) { f(p) }

func (p *processes) atEnd(t *testing.T, f func()) { t.Cleanup(f) }

// options are those that a worker uses: nothing resent, nothing hidden.
func options(addr string) *redis.Options {
	const timeout = 5 * time.Second
	return &redis.Options{
		Addr: addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true, PoolSize: 16,
		DialTimeout: timeout, ReadTimeout: timeout, WriteTimeout: timeout, ContextTimeoutEnabled: true,
	}
}

// scene is one lock in one case: its own keys, and the clients that it makes.
type scene struct {
	t           *testing.T
	ctx         context.Context
	entry       impls.Entry
	keys        []string
	environment environment
	base        impls.Options
	wall        *wall
	admin       []redis.UniversalClient
}

var scenes atomic.Int64

func newScene(t *testing.T, w environment, e impls.Entry, variant string) *scene {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	w.atEnd(t, cancel)
	s := &scene{t: t, ctx: ctx, entry: e, environment: w, base: e.Defaults(long), wall: &wall{
		frozen: e.Name == "getset-java"}}
	s.keys = []string{fmt.Sprintf("lock:%d", scenes.Add(1))}
	s.base.Variant, s.base.Poll, s.base.AcquireTimeout = variant, 10*time.Millisecond, patient
	if e.Topology == impls.Independent {
		s.base.NodeTimeout = history.Duration(patient) // a slow machine is no fault of the lock
	}
	s.admin = s.connect(w)
	return s
}

// Leases and patience of the cases: long never ends by itself while a case runs, short soon does.
const (
	long    = 60 * time.Second
	short   = 250 * time.Millisecond
	renewed = 1500 * time.Millisecond // a watchdog that is a second late still comes in time
	patient = 4 * time.Second
	brief   = 60 * time.Millisecond
)

func (s *scene) connect(w environment) []redis.UniversalClient {
	n := 1
	if s.entry.Topology == impls.Independent {
		n = servers
	}
	all := w.connect(n)
	w.atEnd(s.t, func() {
		for _, c := range all {
			c.Close()
		}
	})
	return all
}

// key is the first key.
func (s *scene) key() string { return s.keys[0] }

// user is one client of the lock.
type user struct {
	impls.Lock
	env   *counted
	redis []redis.UniversalClient
	tap   *tap

	mu      sync.Mutex
	notices []impls.Notice
}

// user makes a client whose options are changed by change.
func (s *scene) user(change func(*impls.Options)) *user {
	u := &user{env: &counted{Env: s.environment.env(s.ctx), wall: s.wall},
		redis: s.connect(s.environment),
		tap:   &tap{}}
	for i, c := range u.redis {
		c.AddHook(&tapped{u.tap, i})
	}
	o := s.base
	if change != nil {
		change(&o)
	}
	var err error
	u.Lock, err = s.entry.New(impls.Setup{Env: u.env, Redis: u.redis, Keys: s.keys, Options: o,
		Notify: u.notice})
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

func (u *user) notice(n impls.Notice) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.notices = append(u.notices, n)
}

func (u *user) noticed() []impls.Notice {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]impls.Notice(nil), u.notices...)
}

// eventually waits for a condition.
func (s *scene) eventually(what string, is func() bool) error {
	for !is() {
		if s.ctx.Err() != nil {
			return fmt.Errorf("never came true: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// dump is what the servers keep under the lock's key: a string or a hash.
func (s *scene) dump() string {
	text := ""
	for _, c := range s.admin {
		kind, err := c.Type(s.ctx, s.key()).Result()
		var v any = ""
		switch kind {
		case "string":
			v, err = c.Get(s.ctx, s.key()).Result()
		case "hash":
			v, err = c.HGetAll(s.ctx, s.key()).Result()
		}
		if errors.Is(err, redis.Nil) { // it ended in between
			v, err = "", nil
		}
		if err != nil {
			s.t.Fatal(err)
		}
		text += fmt.Sprint(v) + "|"
	}
	return text
}

// do sends an administrator's command to all servers.
func (s *scene) do(args ...any) {
	for _, c := range s.admin {
		if err := c.Do(s.ctx, args...).Err(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// left lists the keys that the lock keeps.
func (s *scene) left() (names []string) {
	for _, c := range s.admin {
		found, err := c.Keys(s.ctx, "*"+s.key()+"*").Result()
		if err != nil {
			s.t.Fatal(err)
		}
		for _, n := range found {
			if n == s.key() || strings.HasSuffix(n, s.key()+"}") { // not lock:12 for lock:1
				names = append(names, n)
			}
		}
	}
	return names
}

// wall is a wall clock that may stand still between sleeps: a lease of 4 ms then lasts as long as
// its test wants.
type wall struct {
	frozen bool
	slept  atomic.Int64
}

// counted is an Env that knows how many goroutines and sleeps are under way.
type counted struct {
	impls.Env
	wall    *wall
	running atomic.Int64
	sleeps  atomic.Int64
}

func (c *counted) Now() time.Time {
	if !c.wall.frozen {
		return c.Env.Now()
	}
	return time.UnixMilli(1_800_000_000_000).Add(time.Duration(c.wall.slept.Load()))
}

func (c *counted) Sleep(ctx context.Context, d time.Duration) error {
	c.wall.slept.Add(int64(d))
	c.sleeps.Add(1)
	return c.Env.Sleep(ctx, d)
}

func (c *counted) Go(ctx context.Context, f func(context.Context)) (wait func()) {
	c.running.Add(1)
	return c.Env.Go(ctx, func(ctx context.Context) {
		defer c.running.Add(-1)
		f(ctx)
	})
}
