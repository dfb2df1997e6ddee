package matrix_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

func TestMain(m *testing.M) {
	testenv.SideBySide(6)
	os.Exit(m.Run())
}

// process is a batch.Runner with an environment of real processes for each run.
func process(root string) batch.Runner {
	return func(ctx context.Context, p harness.Plan, name string) (*checker.Verdict, error) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		w, err := cluster.Start(cluster.Config{
			Dir: dir, Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients,
			Seed: p.Seed, Scenario: p.Scenario, Worker: p.Worker(), RedisConfig: p.RedisConfig,
		})
		if err != nil {
			return nil, err
		}
		defer w.Close()
		var hist, trace bytes.Buffer
		runErr := harness.Run(ctx, p, w, harness.Output{History: &hist, Trace: &trace})
		h, err := history.Read(&hist)
		if err != nil {
			return nil, errors.Join(runErr, err)
		}
		commands, err := history.ReadTrace(&trace)
		return checker.Check(h, commands, checker.Options{}), errors.Join(runErr, err)
	}
}

// measure runs a part of the matrix on real Redis and reports every difference from the
// expectation.
func measure(t *testing.T, o matrix.Options) *matrix.Matrix {
	t.Helper()
	testenv.Part(t, "redis")
	o.Environment = "process"
	rs, err := o.Run(t.Context(), process(t.TempDir()), nil, &bytes.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := matrix.New(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(m.Count())
	return m
}

// perFault is a lock for each fault of the matrix that has something to lose under it, or to keep:
// the part that every change is measured on. All locks under all faults are run in the simulator
// (soak.txtar of the lab), and on real Redis by `make soak`.
var perFault = map[string]string{
	"none": "setnx-del-expired", "longwork": "setpx-del", "crash": "setnx", "pause": "setpx-getdel",
	"partition":  "setnx-expire",
	"reply-loss": "token-lua", "late": "redisson watchdog", "restart": "setpx-del",
	"restart-delayed": "redisson-spin", "failover": "token-lua constant",
	"clock-server+": "redisson fixed lease", "clock-server-": "token-lua", "clock-client": "getset",
	"busy": "token-lua constant", "request-loss": "redisson-multi",
	"node-pause": "getset", "node-crash": "setnx-expire-lua", "minority-loss": "redlock per attempt",
	"majority-loss": "redlock per call",
}

// TestEachFaultOnRealRedis finds, under each fault, what it has to find and nothing else.
func TestEachFaultOnRealRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("needs half a minute")
	}
	for _, c := range matrix.Columns() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(c.Name, "clock-server") {
				testenv.Part(t, "cc")
			}
			row := perFault[c.Name]
			if row == "" {
				t.Fatal("no lock is run under it")
			}
			for tries := 6; ; tries-- {
				m := measure(t, matrix.Options{Rows: []string{row}, Columns: []string{c.Name}, Seed: 1,
					Jobs: 1})
				if testenv.Race && onlyTheMachine(m.Differences()) {
					t.Skip("the detector slows this machine down too much; make test runs it without, too")
				}
				if tries == 1 || !onlyTheMachine(m.Differences()) {
					for _, d := range m.Differences() {
						t.Error(d)
					}
					return
				}
			}
		})
	}
}

// onlyTheMachine reports whether all that is different may come of a machine that stalls, so that
// it is worth another look: a letter was not found, or one was that decides no run. A letter that
// convicts a lock is never looked at twice.
func onlyTheMachine(all []matrix.Difference) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(d matrix.Difference) bool {
		return !d.Expected && !slices.Contains(history.ReportedProperties(), d.Property)
	})
}
