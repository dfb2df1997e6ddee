package impls_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// TestWaitReplicas asks of every lock that a grant which no replica confirmed is refused and given
// back. Those that try again after a refusal of one part (redlock, redisson-multi) run into their
// time-out.
func TestWaitReplicas(t *testing.T) {
	w := needRedis(t)
	for _, e := range impls.All() {
		if e.Document == "control" || departs(e.Name, "acquires when free") != nil {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, w, e, "")
			u := s.user(func(o *impls.Options) {
				o.WaitReplicas, o.AcquireTimeout = 1, brief
				o.WaitTimeout = history.Duration(5 * time.Millisecond)
			})
			_, err := u.Acquire(s.ctx)
			if e.Topology == impls.OneServer && !e.Multi && !errors.Is(err, impls.ErrReplicas) ||
				err == nil || impls.Definite(err) {
				t.Errorf("granted although there is no replica: %v", err)
			}
			if s.dump() != strings.Repeat("|", len(s.admin)) {
				t.Errorf("left: %v", s.left())
			}
		})
	}
}

// TestWaitIsPipelined starts a replica and looks at what is sent: the granting command and its WAIT
// at once, on one connection.
func TestWaitIsPipelined(t *testing.T) {
	w, ok := needRedis(t).(*processes)
	if !ok {
		t.Fatal("a replica needs real servers")
	}
	replica, err := startServer(t.TempDir(), "replica", w.addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(replica.Kill)
	s := sceneOf(t, "token-lua")
	u := s.user(func(o *impls.Options) {
		o.WaitReplicas, o.WaitTimeout = 1, history.Duration(2*time.Second)
	})
	var mu sync.Mutex
	var sent []string
	u.redis[0].AddHook(pipelines(func(cmds []redis.Cmder) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range cmds {
			sent = append(sent, c.Name())
		}
	}))
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Release(s.ctx, g); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	sent = slices.DeleteFunc(sent, func(c string) bool { return c == "hello" || c == "client" })
	if fmt.Sprint(sent) != "[set wait]" {
		t.Errorf("one pipeline has %v, want [set wait]", sent)
	}
}

// pipelines is a hook that looks at each pipeline.
type pipelines func([]redis.Cmder)

func (pipelines) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (pipelines) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (f pipelines) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		f(cmds)
		return next(ctx, cmds)
	}
}
