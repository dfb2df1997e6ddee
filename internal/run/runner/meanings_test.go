package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
)

// TestMeaningsAreWhatTheCommandsMean runs scenarios that await commands of our own locks, by these
// and by what stands beside them for other locks, and wants the same history.
func TestMeaningsAreWhatTheCommandsMean(t *testing.T) {
	for _, c := range []struct{ impl, fault string }{
		{"getset", "pause:between"}, {"setpx-getdel", "pause:between"},
		{"setnx-expire", "crash:expire"}, {"redlock", "node-pause"}, {"getset", "failover:between"},
		{"redlock", "late:vote"},
	} {
		t.Run(c.impl+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			p := simulated(t, c.impl, c.fault)
			byCommand := recorded(t, p)
			changed := false
			p.Scenario = append([]nemesis.Step(nil), p.Scenario...)
			for i, s := range p.Scenario {
				if s.Await != nil && s.Await.Means != "" {
					a := *s.Await
					a.Command, changed = "", true
					p.Scenario[i].Await = &a
				}
			}
			if !changed {
				t.Fatal("no step awaits a meaning")
			}
			if !bytes.Equal(byCommand, recorded(t, p)) {
				t.Error("the history is another")
			}
		})
	}
}

// recorded is the history of a run.
func recorded(t *testing.T, p harness.Plan) []byte {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := runner.Run(t.Context(), p, runner.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, store.History))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
