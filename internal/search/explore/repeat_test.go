package explore

import (
	"testing"

	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/replay"
)

// repeat replays a counterexample in the simulator, as the verb replay does.
func repeat(t *testing.T, x *counterexample.Counterexample) (replay.Outcome, error) {
	t.Helper()
	return replay.Run(t.Context(), x, replay.Options{Environment: runner.Sim, Times: 1,
		Dir: func() (string, error) { return t.TempDir(), nil }})
}
