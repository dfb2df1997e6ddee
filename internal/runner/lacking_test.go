//go:build linux

package runner_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAServerThatLacksACommand is refused in one line, before anything is run, and in a matrix its
// row is not possible; the row that needs no such command is.
func TestAServerThatLacksACommand(t *testing.T) {
	setUp(t, "token-ifeq", "lua")
	const lacks = "the lock sends DELIFEQ, which Redis "
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
