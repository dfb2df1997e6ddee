package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// TestVerdicts lets the checker judge runs of the simulator as it judges those of real processes:
// the letters are those of docs/locks/expected.md and of Redis.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ lock, fault, want string }{
		{"none", "none", "SL"},
		{"local", "none", "SL"},
		{"token-lua", "none", "valid"},
		{"token-lua", "failover", "SL"},
		{"token-lua", "failover:delayed", "SL"},
		{"token-lua", "failover:healthy", "valid"},
		{"token-lua", "pause", "S"},
		{"token-lua", "pause:short", "valid"},
		{"token-lua", "crash", "valid"},
		{"token-lua", "restart", "SL"},
		{"token-lua", "restart-delayed", "valid"},
		{"token-lua", "clock-server", "SL"},
		{"token-lua", "clock-client", "valid"},
		{"token-lua", "node-pause", "valid"},
		{"setpx-del", "pause", "S*"},
		{"getset", "failover:after", "SLO"},
		{"getset", "clock-client", "SL*"},
		{"getset", "clock-server", "valid"},
		{"redisson", "failover", "SL"},
		{"redisson", "none", "valid"},
		{"redisson-fenced", "failover:after", "SLF"},
		{"redlock", "minority-loss", "valid"},
		{"redlock", "majority-loss", "valid"},
		{"redlock", "restart", "SL"},
		{"redlock", "clock-server", "SL"},
		{"redlock", "pause", "S"},
	} {
		for seed := range uint64(testenv.Large(3, 1)) {
			p := plan(t, harness.RunOptions{Impl: c.lock, Nemesis: c.fault, Seed: seed})
			if got := verdict(t, p); !matches(got, c.want) {
				t.Errorf("%s with %s, seed %d: %s; want %s", c.lock, c.fault, seed, got, c.want)
			}
		}
	}
}

// matches compares letters; a star stands for more that depend on who comes first.
func matches(got, want string) bool {
	start, open := strings.CutSuffix(want, "*")
	return got == want || open && strings.HasPrefix(got, start)
}

// verdict runs a plan and returns the letters that are violated, or the verdict.
func verdict(t *testing.T, p harness.Plan) string {
	t.Helper()
	text, lines, err := record(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	trace, err := history.ReadTrace(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	v := checker.Check(h, trace, checker.Options{})
	letters := ""
	for _, property := range v.Properties {
		if property.Verdict == checker.Violated && !property.Reported {
			letters += property.Property
		}
	}
	if letters != "" {
		return letters
	}
	return fmt.Sprint(v.Verdict)
}
