package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/campaign"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/need"
)

func TestMain(m *testing.M) {
	if cluster.IsWorker() {
		os.Exit(cluster.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// process is a campaign.Runner with a world of real processes for each run.
func process(root string) campaign.Runner {
	return func(ctx context.Context, p harness.Plan, name string) (*checker.Verdict, error) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		w, err := cluster.Start(cluster.Config{
			Dir: dir, Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients, Seed: p.Seed, Scenario: p.Scenario, Worker: p.Worker(), RedisConfig: p.RedisConfig,
		})
		if err != nil {
			return nil, err
		}
		defer w.Close()
		var hist, trace bytes.Buffer
		runErr := harness.Run(ctx, p, w, harness.Output{History: &hist, Trace: &trace, Started: time.Now()})
		h, err := history.Read(&hist)
		if err != nil {
			return nil, errors.Join(runErr, err)
		}
		commands, err := history.ReadTrace(&trace)
		return checker.Check(h, commands, checker.Options{}), errors.Join(runErr, err)
	}
}

// measure runs a part of the matrix on real Redis and reports every difference from the expectation.
func measure(t *testing.T, o campaign.Options) *campaign.Matrix {
	t.Helper()
	need.Part(t, "redis")
	o.World = "process"
	rs, err := o.Run(t.Context(), process(t.TempDir()), nil, &bytes.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := campaign.NewMatrix(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(m.Count())
	return m
}

// TestThreeLocksUnderFourFaults is the part of the matrix that every change is measured on.
func TestThreeLocksUnderFourFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some seconds")
	}
	m := measure(t, campaign.Options{
		Rows: []string{"setnx", "getset", "setpx-del"}, Columns: []string{"none", "crash", "pause", "failover"}, Seed: 1, Jobs: 2,
	})
	for _, d := range m.Differences() {
		t.Error(d)
	}
}

// TestTheWholeMatrix measures every cell 20 times. What was expected and is found must be found each time; what is different is told, and
// docs/verdicts.md explains it.
func TestTheWholeMatrix(t *testing.T) {
	if !need.Soak() {
		t.Skip("LOCKBENCH_SOAK=1 runs it")
	}
	const repeat = 20
	m := measure(t, campaign.Options{Repeat: repeat, Seed: 1})
	for _, c := range m.Cells {
		for _, l := range c.Letters {
			if l.Found == checker.Violated && l.Runs < l.Of {
				t.Errorf("%s, %s: %s was found in %d of %d runs", c.Row, c.Column, l.Letter, l.Runs, l.Of)
			}
		}
	}
	for _, d := range m.Differences() {
		t.Log(d)
	}
}
