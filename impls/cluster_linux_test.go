package impls_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/redis/go-redis/v9"
)

// TestACluster asks three masters of a Redis Cluster: one of them alone grants a lock (D001 line
// 772 has at least half of the nodes do it), and a script whose parameters are all KEYS is refused
// (D004 line 44).
func TestACluster(t *testing.T) {
	needRedis(t)
	all, stop := startCluster(t)
	defer stop()
	const key = "lock:0"
	slot := all[0].ClusterKeySlot(t.Context(), key).Val()
	owner := all[slot*int64(len(all))/slots]
	e, err := impls.Find("redisson")
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, needRedis(t), e, "")
	lock, err := e.New(impls.Setup{Env: s.environment.env(s.ctx), Keys: []string{key}, Options: s.base,
		Redis: []redis.UniversalClient{owner}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := lock.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	have := 0
	for _, c := range all {
		have += int(c.DBSize(t.Context()).Val())
	}
	if have != 1 {
		t.Errorf("granted, and %d of %d masters have the key", have, len(all))
	}
	if err := lock.Release(s.ctx, g); err != nil {
		t.Error(err)
	}
	err = owner.Eval(t.Context(), "return redis.call('setnx', KEYS[1], KEYS[2])",
		[]string{key, "app-1-lock"}).Err()
	if err == nil || !strings.HasPrefix(err.Error(), "CROSSSLOT") {
		t.Errorf("a value sent as a key: %v", err)
	}
}

const slots = 16384

// startCluster starts three masters that share the slots.
func startCluster(t *testing.T) (all []*redis.Client, stop func()) {
	var nodes []*server.Node
	stop = func() {
		for i, n := range nodes {
			all[i].Close()
			n.Kill()
		}
	}
	const masters = 3
	dir := t.TempDir()
	for i := range masters {
		n, err := startServer(dir, fmt.Sprint("n", i), "", "cluster-enabled", "yes")
		if err != nil {
			stop()
			t.Fatal(err)
		}
		nodes, all = append(nodes, n), append(all, redis.NewClient(&redis.Options{Addr: n.Addr()}))
		err = all[i].ClusterAddSlotsRange(t.Context(), i*slots/masters, (i+1)*slots/masters-1).Err()
		if err != nil {
			t.Error(err)
		}
	}
	for _, n := range nodes[1:] {
		host, port, _ := strings.Cut(n.Addr(), ":")
		if err := all[0].ClusterMeet(t.Context(), host, port).Err(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, c := range all {
		for !strings.Contains(c.ClusterInfo(ctx).Val(), "cluster_state:ok") {
			if time.Sleep(20 * time.Millisecond); ctx.Err() != nil {
				stop()
				t.Fatal("three masters are no cluster after a minute")
			}
		}
	}
	return all, stop
}
