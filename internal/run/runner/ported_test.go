//go:build linux

package runner_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/lockbench/lockbench/adapters/sdk/go"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// The settings that make this test's program an adapter for one of lockbench's own locks: its row
// of the matrix, the folder for what the hooks of its Redis client see, and its patience with one
// of several nodes.
const (
	portedLock   = "LOCKBENCH_TEST_LOCK"
	portedHooked = "LOCKBENCH_TEST_HOOKED"
	portedNodes  = "LOCKBENCH_TEST_NODE_TIMEOUT"
)

func TestMain(m *testing.M) {
	if os.Getenv(portedLock) != "" {
		workloads.Silence()
		sdk.Run(openPorted, map[string]string{"mine": "1"})
	}
	if docker.IsJanitor() {
		os.Exit(docker.JanitorMain(os.Stdin))
	}
	testenv.SideBySide(4)
	os.Exit(m.Run())
}

// ported is one of lockbench's own locks, driven as a released library is: by the protocol of
// adapters, and with nothing but a tap before its Redis client. Its hooks only write down what they
// see.
type ported struct {
	setup impls.Setup
	entry impls.Entry

	mu    sync.Mutex
	locks map[string]impls.Lock // by their keys
	holds map[int]portedHold
}

type portedHold struct {
	impls.Lock
	grant impls.Grant
}

func openPorted(c sdk.Config) (sdk.Lock, error) {
	rows, err := matrix.FindRows([]string{os.Getenv(portedLock)})
	if err != nil {
		return nil, err
	}
	entry, err := rows[0].Lock()
	if err != nil {
		return nil, err
	}
	hooked, err := os.Create(filepath.Join(os.Getenv(portedHooked), fmt.Sprintf("c%d", c.Client)))
	if err != nil {
		return nil, err
	}
	o := entry.Defaults(time.Duration(c.TTL) * time.Millisecond)
	o.Variant, o.NoWatchdog = cmp.Or(rows[0].Variant, o.Variant), rows[0].NoWatchdog
	if err = o.NodeTimeout.UnmarshalText([]byte(os.Getenv(portedNodes))); err != nil {
		return nil, err
	}
	p := &ported{entry: entry, locks: map[string]impls.Lock{}, holds: map[int]portedHold{}}
	p.setup = impls.Setup{Options: o, Notify: p.notice, Env: workloads.NewEnv(context.Background(),
		uint64(c.Seed), func() time.Duration { return time.Duration(proc.Monotonic()) })}
	for _, addr := range c.Redis {
		client := redis.NewUniversalClient(portedOptions(c, addr))
		client.AddHook(&recorder{file: json.NewEncoder(hooked)})
		p.setup.Redis = append(p.setup.Redis, client)
		for try := range 10 { // as the workers, on a machine that is busy with starting many clients
			if err = client.Do(context.Background(), "client", "id").Err(); err == nil || try == 9 {
				break
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// portedOptions are those of the workers' clients.
func portedOptions(c sdk.Config, addr string) *redis.UniversalOptions {
	t := cmp.Or(time.Duration(c.Timeout)*time.Millisecond, 250*time.Millisecond)
	return &redis.UniversalOptions{Addrs: []string{addr}, MaxRetries: -1, DialerRetries: 1,
		DialTimeout: t, ReadTimeout: t, WriteTimeout: t, ContextTimeoutEnabled: true, Protocol: 2,
		DisableIdentity: true, PoolSize: 16, PipelinePoolSize: -1}
}

// lock is the lock on some keys. All acquires of a run wait as long. In whatever order they come, a
// client has one lock on them, and so one owner: lockbench's own workers ask for sorted keys.
func (p *ported) lock(keys []string, wait time.Duration) (impls.Lock, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys = slices.Sorted(slices.Values(keys))
	name := strings.Join(keys, " ")
	if l := p.locks[name]; l != nil {
		return l, nil
	}
	s := p.setup
	s.Keys, s.Options.AcquireTimeout = keys, wait
	l, err := p.entry.New(s)
	p.locks[name] = l
	return l, err
}

// Acquire is sdk.Lock.
func (p *ported) Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (
	g sdk.Grant, err error) {
	l, err := p.lock(keys, wait)
	if err != nil {
		return g, err
	}
	grant, err := l.Acquire(ctx)
	if err != nil {
		if f, ok := l.(impls.Finalizer); ok {
			_ = f.Finally(context.Background())
		}
		return g, refusedAs(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds[n] = portedHold{l, grant}
	if grant.ValidUntil > 0 {
		g.ValidUntil = time.Now().Add(grant.ValidUntil - p.setup.Env.Elapsed())
	}
	if grant.Fence > 0 {
		g.Token = grant.Fence
	}
	return g, nil
}

// refusedAs says of an acquire that surely did nothing that it was refused.
func refusedAs(err error) error {
	var server redis.Error
	switch {
	case !impls.Definite(err):
		return err
	case err == impls.ErrHeld:
		return sdk.Taken
	case errors.Is(err, impls.ErrHeld):
		return sdk.GaveUp
	case errors.As(err, &server):
		return sdk.ServerRefused
	}
	return sdk.Unreachable
}

// Release is sdk.Lock.
func (p *ported) Release(ctx context.Context, n int) error {
	p.mu.Lock()
	h := p.holds[n]
	delete(p.holds, n)
	p.mu.Unlock()
	err := h.Release(context.WithoutCancel(ctx), h.grant)
	if errors.Is(err, impls.ErrNotOwner) {
		return sdk.NotOwner{Err: err}
	}
	return err
}

// notice says what a watchdog found. The tap sees extensions by itself.
func (p *ported) notice(n impls.Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.Lost != nil && len(p.holds) > 0 {
		sdk.Lost(slices.Min(slices.Collect(maps.Keys(p.holds))), n.Lost.Error())
	}
}

// hookedLine is a command that left, and then the same with its end.
type hookedLine struct {
	N     int
	Args  []string
	Reply string
	Err   string
	Ended bool
}

// recorder is a hook that writes down each command at once: its process may be killed.
type recorder struct {
	mu   sync.Mutex
	n    int
	file *json.Encoder
}

func (*recorder) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *recorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		n := r.leaves(c)
		err := next(ctx, c)
		r.ends(n, c, err)
		return err
	}
}

func (r *recorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, all []redis.Cmder) error {
		var numbers []int
		for _, c := range all {
			numbers = append(numbers, r.leaves(c))
		}
		err := next(ctx, all)
		for i, c := range all {
			r.ends(numbers[i], c, c.Err())
		}
		return err
	}
}

func (r *recorder) leaves(c redis.Cmder) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	_ = r.file.Encode(hookedLine{N: r.n, Args: words(c)})
	return r.n
}

func (r *recorder) ends(n int, c redis.Cmder, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := hookedLine{N: n, Args: words(c), Ended: true}
	var said redis.Error
	switch {
	case err == redis.Nil:
		line.Reply = "(nil)"
	case errors.As(err, &said):
		line.Reply = "(error) " + said.Error()
	case err != nil:
		line.Err = err.Error()
	default:
		args := redis.NewCmd(context.Background(), c.Args()...).String()
		line.Reply = strings.TrimPrefix(strings.TrimPrefix(c.String(), args), ": ")
	}
	_ = r.file.Encode(line)
}

func words(c redis.Cmder) (all []string) {
	for _, a := range c.Args() {
		all = append(all, fmt.Sprint(a))
	}
	return all
}
