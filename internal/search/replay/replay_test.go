package replay

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// TestReplayDiverges changes a file in each of the ways that matter and wants to be told where it
// differs.
func TestReplayDiverges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*counterexample.Counterexample)
		want   string
	}{
		{"another reply", func(c *counterexample.Counterexample) { c.Steps[4].Reply = "7" }, "at step 5"},
		{"a step too many", func(c *counterexample.Counterexample) {
			c.Steps = append(c.Steps[:3:3], c.Steps[4:]...)
		},
			"at step 4"},
		{"another time", func(c *counterexample.Counterexample) { c.Steps[len(c.Steps)-1].At++ },
			"expected"},
		{"beyond the end", func(c *counterexample.Counterexample) {
			for range 1000 {
				c.Steps = append(c.Steps, c.Steps[len(c.Steps)-1])
			}
		}, "expected"},
		{"another plan", func(c *counterexample.Counterexample) { c.Plan.Hold /= 2 }, "at step"},
		{"another property", func(c *counterexample.Counterexample) { c.Verdict.Property = "D" },
			"a violation of D"},
		{"another class", func(c *counterexample.Counterexample) { c.Verdict.Class = "clock" },
			"the class"},
	} {
		x, err := counterexample.ReadFile("../explore/testdata/corpus/getset-pause-long-S.yaml")
		if err != nil {
			t.Fatal(err)
		}
		c.change(x)
		o, err := Place{Environment: "sim", Dir: t.TempDir()}.simulated(t.Context(), x)
		if err != nil || o.Confirmed || !strings.Contains(o.String(), c.want) ||
			strings.Contains(o.String(), "\n") {
			t.Errorf("%s: %s, %v; want %q", c.name, o, err, c.want)
		}
	}
}
