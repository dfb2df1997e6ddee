//go:build linux

package runner_test

import (
	"errors"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// TestCellsOfLibrariesCanBePlanned: a cell of a released library that cannot run says so as
// impossible; none breaks, whatever lease the library has.
func TestCellsOfLibrariesCanBePlanned(t *testing.T) {
	testenv.SkipRace(t)
	o := matrix.Options{Environment: runner.Process, TTL: 2 * time.Second,
		Adapters: []string{matrix.All}}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, k := range tasks {
		a, err := adapters.Find(k.Row.Adapter)
		if err != nil {
			t.Fatal(err)
		}
		if a.Missing() != nil && !testenv.Required("adapters") {
			continue
		}
		if u, err := a.Use(k.Row.Variant); err != nil {
			t.Fatal(err)
		} else if here, err := testenv.Have(u.System); err != nil {
			t.Fatal(err)
		} else if !here {
			continue
		}
		_, _, err = runner.Prepare(t.Context(), o.RunOptions(k.Row, k.Aim, k.Seed))
		if impossible := (nemesis.ImpossibleError{}); err != nil && !errors.As(err, &impossible) {
			t.Errorf("%s %s: %v", k.Row.Name, k.Aim.Nemesis, err)
		} else if err == nil {
			planned++
		}
	}
	t.Logf("%d of %d cells planned, the others are impossible or left out", planned, len(tasks))
}
