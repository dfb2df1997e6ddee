package runner_test

import (
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestServersCountWhomTheyWake: a lock of which clients wait for an event has woken some when its
// run is over, as its servers say before they stop; a server that has no such count says so.
func TestServersCountWhomTheyWake(t *testing.T) {
	testenv.SkipRace(t)
	for _, c := range []struct {
		adapter, variant string
		counts           bool
	}{
		{"go-zookeeper", "ephemeral", true}, {"etcd-mutex", "ttl", true},
		{"postgres", "advisory", false},
	} {
		t.Run(c.adapter, func(t *testing.T) {
			setUp(t, c.adapter, c.variant)
			woken, err := wokenBy(t, c.adapter, c.variant)
			for tries := 1; c.counts && woken == 0 && tries < 5; tries++ { // a slow client waits for none
				woken, err = wokenBy(t, c.adapter, c.variant)
			}
			if (err == nil) != c.counts || (woken > 0) != c.counts {
				t.Errorf("%d woken, %v; it counts: %v", woken, err, c.counts)
			}
		})
	}
}

// wokenBy is what the servers say when a run without a fault is over.
func wokenBy(t *testing.T, adapter, variant string) (woken int64, err error) {
	t.Helper()
	p, _, bad := runner.Prepare(t.Context(), harness.RunOptions{Adapter: adapter, Variant: variant,
		Nemesis: "none", Environment: runner.Process, Clients: 3, TTL: 2 * time.Second,
		Properties: []string{"S"}, Seed: 1})
	if bad != nil {
		t.Fatal(bad)
	}
	asked := false
	_, bad = runner.Run(t.Context(), p, runner.Options{Dir: t.TempDir(),
		Ended: func(e *runner.Environment) {
			asked = true
			woken, err = e.Woken()
		}})
	if bad != nil || !asked {
		t.Fatalf("asked: %v, %v", asked, bad)
	}
	return woken, err
}
