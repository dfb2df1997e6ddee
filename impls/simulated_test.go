package impls_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// TestConformanceInTheSimulator asks the same of every lock in virtual time: no lock can tell which
// environment it is in.
func TestConformanceInTheSimulator(t *testing.T) { conform(t, simulated{}) }

// simulated makes a simulated environment for each case.
type simulated struct{ environment }

func (simulated) host(t *testing.T, f func(environment)) {
	cfg := sim.Config{Topology: nemesis.Independent, Masters: servers, Clients: 1, Bare: true,
		Chooser: sim.Recorded{}}
	err := sim.Run(cfg, func(w *sim.Environment) error {
		var over atomic.Bool
		err := w.RunClient(0, func(p sim.Client) {
			defer over.Store(true)
			in := &inside{client: p}
			defer in.end()
			f(in)
		})
		if err == nil && !w.RunUntil(time.Hour, over.Load) {
			err = errors.New("not over after an hour of virtual time")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// inside is a simulated environment as its client sees it.
type inside struct {
	simulated
	client sim.Client
	seed   uint64
	ends   []func()
}

func (i *inside) connect(n int) (all []redis.UniversalClient) {
	for node := range n {
		o := options("127.0.0.1:6379")
		o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
		o.Dialer = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return i.client.Dial(ctx, network, "n"+strconv.Itoa(node))
		}
		all = append(all, redis.NewClient(o))
	}
	return all
}

func (i *inside) env(life context.Context) impls.Env {
	i.seed++
	start := time.Now()
	e := workloads.NewEnv(life, i.seed, func() time.Duration { return time.Since(start) + time.Hour })
	i.ends = append(i.ends, e.Wait)
	return e
}

func (i *inside) atEnd(_ *testing.T, f func()) { i.ends = append(i.ends, f) }

// end does last what was begun first: a scene's context ends its environments' goroutines.
func (i *inside) end() {
	i.ends[0]()
	for _, f := range slices.Backward(i.ends[1:]) {
		f()
	}
}
