package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// TestRandomFaultsHaveADrawnLoad: the seeds reach each kind of load, and one seed is one load. What
// the user sets stays, and a lock that does not renew is not held beyond its lease.
func TestRandomFaultsHaveADrawnLoad(t *testing.T) {
	met := map[string]bool{}
	for seed := range uint64(200) {
		o := RunOptions{Environment: "sim", Impl: "token-lua", Nemesis: "random", Seed: seed}
		p, err := NewPlan(o)
		q, _ := NewPlan(o)
		if err != nil || p.TTL != q.TTL || p.Clients != q.Clients || p.Hold != q.Hold {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p.Hold >= p.TTL || p.Workload == workloads.LongWork {
			t.Errorf("seed %d: a hold of %v of a lease of %v, %s", seed, p.Hold, p.TTL, p.Workload)
		}
		met["many"] = met["many"] || p.Clients == 24
		met["two"] = met["two"] || p.Clients == 2
		met["odd"] = met["odd"] || p.TTL.D()%time.Second != 0
		met["below"] = met["below"] || p.TTL.D() < time.Second
		met["long"] = met["long"] || p.Hold > p.TTL/3
		met["away"] = met["away"] || p.Think > p.TTL
		met["mixed"] = met["mixed"] || len(p.Leases) > 1 && p.Hold < p.Leases[1]
		met["gives up"] = met["gives up"] || p.AcquireTimeout < p.Hold
	}
	for _, kind := range []string{"many", "two", "odd", "below", "long", "away", "gives up", "mixed"} {
		if !met[kind] {
			t.Errorf("no seed draws a load of the kind %q", kind)
		}
	}
	p, err := NewPlan(RunOptions{Environment: "sim", Impl: "token-lua", Nemesis: "random",
		Clients: 3, TTL: time.Minute, For: time.Hour, Workload: workloads.Counter})
	if err != nil || p.Clients != 3 || p.TTL.D() != time.Minute || p.Workload != workloads.Counter {
		t.Errorf("%d clients, a lease of %v, %s: %v", p.Clients, p.TTL, p.Workload, err)
	}
}

// TestALeaseOutlastsTheElection gives a run the lease that its fault needs, unless it has one.
func TestALeaseOutlastsTheElection(t *testing.T) {
	for _, c := range []struct {
		fault     string
		ttl, want time.Duration
	}{{"pause", 0, 2 * time.Second}, {"leader-loss", 0, 5 * time.Second},
		{"leader-loss:cut,crash", 0, 5 * time.Second}, {"leader-loss", 7 * time.Second, 7 * time.Second},
		{"failover-cluster", 0, 10 * time.Second}} {
		o := RunOptions{Impl: "token-lua", Nemesis: c.fault, TTL: c.ttl}
		if strings.HasPrefix(c.fault, "leader") {
			o.Impl, o.Adapter, o.Variant = "", "etcd-mutex", "ttl"
		}
		if p, err := NewPlan(o); err != nil || p.TTL.D() != c.want {
			t.Errorf("%s: a lease of %v, want %v: %v", c.fault, p.TTL.D(), c.want, err)
		}
	}
}
