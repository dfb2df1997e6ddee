//go:build linux

package runner_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// TestAServerThatLacksACommand is refused in one line, before anything is run, and in a matrix its
// row is not possible; the row that needs no such command is.
func TestAServerThatLacksACommand(t *testing.T) {
	setUp(t, "token-ifeq", "lua")
	const lacks = " has no DELIFEQ; it needs Valkey 9.0 or newer"
	// Redis has DELEX in newer versions, and DELIFEQ, which is Valkey's, in none
	o := harness.RunOptions{Environment: runner.Process, Adapter: "token-ifeq", Variant: "delifeq",
		Nemesis: "none"}
	var no nemesis.ImpossibleError
	if err := runner.Try(t.Context(), o); !errors.As(err, &no) ||
		!strings.Contains(err.Error(), lacks) {
		t.Errorf("tried: %v", err)
	}
	m := matrix.Options{Environment: runner.Process, TTL: 2 * time.Second,
		Adapters: []string{"token-ifeq"}, Columns: []string{"none"}}
	err := m.Lacking(func(w harness.RunOptions) error { return runner.Try(t.Context(), w) })
	if err != nil {
		t.Fatal(err)
	}
	if why := m.Missing["token-ifeq delifeq"]; !strings.Contains(why, lacks) ||
		m.Missing["token-ifeq"] != "" {
		t.Errorf("missing: %q", m.Missing)
	}
	tasks, err := m.Tasks()
	if err != nil || len(tasks) == 0 || tasks[0].Row.Name != "token-ifeq" {
		t.Errorf("%d tasks: %v", len(tasks), err)
	}
}

// TestTheSimulatorLacksACommand: also a lock that is built into lockbench is refused there, whose
// releases would all fail unseen.
func TestTheSimulatorLacksACommand(t *testing.T) {
	const lacks = "the simulated Redis has no DELIFEQ, which needs Valkey 9.0 or newer"
	o := harness.RunOptions{Environment: runner.Process, Adapter: "token-ifeq", Nemesis: "none"}
	const built = "lacking-test"
	workloads.Link(built, workloads.Linkage{})
	for variant, refused := range map[string]bool{"lua": false, "delifeq": true, "delex": true} {
		o.Variant = variant
		p, err := harness.NewPlan(o)
		if err != nil {
			t.Fatal(err)
		}
		p.Impl = built
		err = p.Simulable()
		if (err != nil) != refused || variant == "delifeq" && !strings.HasPrefix(err.Error(), lacks) {
			t.Errorf("%s: %v", variant, err)
		}
	}
}
