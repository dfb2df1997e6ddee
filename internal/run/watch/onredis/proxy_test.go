package onredis

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/redis/go-redis/v9"
)

// proxied watches the clients of a proxy.
func proxied(t *testing.T, addr string, work func(proxy string)) (*watch.Summary, []watch.Event) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var events []watch.Event
	p := &watch.Proxy{Dial: func() (net.Conn, error) { return server.ExternalConfig{}.Dial(addr) },
		For: 10 * time.Minute, Ready: func(at string) { go func() { work(at); stop() }() }}
	s, err := p.Run(ctx, watch.Options{Pattern: "lock:*",
		Emit: func(e watch.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	return s, events
}

// TestTheProxySeesReplies has a service behind the proxy and an operator without it.
func TestTheProxySeesReplies(t *testing.T) {
	addr := started(t)
	outside := clientOf(t, addr)
	cases := map[string]struct {
		do   func(k string, a client)
		want []watch.Kind
	}{
		"late release": {func(k string, a client) {
			a.do("SET", k, k+"-1", "NX", "PX", long)
			a.do("EVAL", give, 1, k, k+"-1")
			a.do("SET", k, k+"-2", "NX", "PX", brief)
			pass()
			a.do("EVAL", give, 1, k, k+"-2")
		}, []watch.Kind{watch.Overrun}},
		"deleted by another": {func(k string, a client) {
			a.do("SET", k, k+"-1", "NX", "PX", long)
			outside.do("DEL", k)
			a.do("EVAL", give, 1, k, k+"-1")
		}, []watch.Kind{watch.Vanished}},
		"twin: a cycle": {func(k string, a client) {
			a.do("SET", k, k+"-1", "NX", "PX", long)
			a.do("EVAL", prolong, 1, k, k+"-1", long)
			a.do("EVAL", give, 1, k, k+"-1")
			a.do("EVAL", enter, 1, k, long, k+"-2")
			a.do("EVAL", leave, 1, k, k+"-2")
		}, nil},
		"twin: another has it": {func(k string, a client) {
			outside.do("SET", k, "theirs", "PX", long)
			a.do("SET", k, k+"-1", "NX", "PX", long)
			outside.do("DEL", k)
			a.do("SET", k, k+"-1", "NX", "PX", long)
			a.do("EVAL", give, 1, k, k+"-1")
		}, nil},
		"twin: a transaction that is discarded": {func(k string, a client) {
			a.do("MULTI")
			a.do("SET", k, k+"-1", "NX", "PX", long)
			a.do("DISCARD")
			outside.do("SET", k, "theirs", "PX", long)
			a.do("EVAL", give, 1, k, k+"-1")
		}, nil},
	}
	_, events := proxied(t, addr, func(at string) {
		for name, c := range cases {
			c.do("lock:"+name, clientOf(t, at))
		}
	})
	got := map[string][]watch.Kind{}
	for _, e := range events {
		got[e.Key] = append(got[e.Key], e.Kind)
	}
	for name, c := range cases {
		if !slices.Equal(got["lock:"+name], c.want) {
			t.Errorf("%s: %v, want %v", name, events, c.want)
		}
	}
}

// TestTheProxyInventsNothing lets clients contend over many connections, so that their commands
// meet in either order.
func TestTheProxyInventsNothing(t *testing.T) {
	addr := started(t)
	s, events := proxied(t, addr, func(at string) {
		c := redis.NewClient(&redis.Options{Addr: at, DisableIdentity: true})
		defer c.Close()
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for n := range 100 {
					v := fmt.Sprintf("value-%d-%d", i, n)
					for !c.SetNX(t.Context(), "lock:x", v, time.Minute).Val() && t.Context().Err() == nil {
					}
					if c.Eval(t.Context(), give, []string{"lock:x"}, v).Val() != int64(1) {
						t.Error("a release failed")
					}
				}
			})
		}
		all.Wait()
	})
	if len(events) != 0 || s.Commands < 1600 {
		t.Errorf("%s\n%v", s.Answer, events)
	}
}
