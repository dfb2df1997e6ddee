package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
)

// BenchmarkRun measures whole runs, recording on and checking off: 3 clients that are each granted the lock twice or so, with a hold of
// 50 ms, 2 s of lease and a poll of 100 ms, as the prototype's.
func BenchmarkRun(b *testing.B) {
	for _, lock := range []string{"token-lua", "getset", "redisson", "redlock"} {
		b.Run(lock, func(b *testing.B) {
			p, err := harness.NewPlan(harness.Wish{
				World: "sim", Impl: lock, Nemesis: "none", Clients: 3, TTL: time.Second, Poll: 100 * time.Millisecond,
				Hold: 50 * time.Millisecond, Think: 50 * time.Millisecond,
			})
			if err != nil {
				b.Fatal(err)
			}
			p.Requires.Contended = 2
			var commands int
			for b.Loop() {
				p.Seed++
				_, trace, err := record(p, nil)
				if err != nil {
					b.Fatal(err)
				}
				commands += strings.Count(trace, `"sent"`)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(commands)/float64(b.N), "commands/run")
		})
	}
}
