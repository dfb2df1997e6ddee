package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
)

// BenchmarkRun measures whole runs, recording on and checking off: 3 clients that are each granted the lock about twice, with a hold of
// 50 ms, a lease of 1 s and a poll of 100 ms.
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
			p.Requires.Contended = 3
			var commands, granted int
			for b.Loop() {
				p.Seed++
				h, trace, err := record(p, nil)
				if err != nil {
					b.Fatal(err)
				}
				commands += strings.Count(trace, `"sent"`)
				granted += strings.Count(h, `"grant"`)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(commands)/float64(b.N), "commands/run")
			b.ReportMetric(float64(granted)/float64(b.N), "grants/run")
		})
	}
}
