package sim_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// rounds is how often a run of the benchmark grants the lock: to 3 clients twice each.
const rounds = 6

// rounder ends a run when the lock was granted often enough.
type rounder int

func (r *rounder) Add(e history.Event) bool {
	if e.Type == history.OK && e.F == history.Acquire {
		*r++
	}
	return *r >= rounds
}

// BenchmarkRun measures whole runs with recording on: 3 clients, a hold of 50 ms, a lease of 1 s
// and a poll of 100 ms.
func BenchmarkRun(b *testing.B) {
	for _, lock := range []string{"token-lua", "getset", "redisson", "redlock"} {
		b.Run(lock, func(b *testing.B) {
			p := benchPlan(b, lock)
			var h, trace bytes.Buffer
			var commands, granted int
			const counted = 50 // runs, before the clock starts
			for range counted {
				p.Seed++
				benchRun(b, p, &h, &trace)
				commands += bytes.Count(trace.Bytes(), []byte(`"sent"`))
				granted += bytes.Count(h.Bytes(), []byte(`"grant"`))
				h.Reset()
				trace.Reset()
			}
			begin := processorTime()
			for b.Loop() {
				p.Seed++
				h.Reset()
				trace.Reset()
				benchRun(b, p, &h, &trace)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64((processorTime()-begin).Microseconds())/float64(b.N), "processor-µs/run")
			b.ReportMetric(float64(commands)/counted, "commands/run")
			b.ReportMetric(float64(granted)/counted, "grants/run")
		})
	}
}

// BenchmarkCheck measures what judging such a run costs on top: from the bytes of its history to
// the verdict.
func BenchmarkCheck(b *testing.B) {
	for _, lock := range []string{"token-lua", "redlock"} {
		b.Run(lock, func(b *testing.B) {
			var h bytes.Buffer
			benchRun(b, benchPlan(b, lock), &h, io.Discard)
			for b.Loop() {
				r, err := history.Read(bytes.NewReader(h.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				checker.Check(r, nil, checker.Options{})
			}
		})
	}
}

func benchPlan(b *testing.B, lock string) harness.Plan {
	p := plan(b, harness.RunOptions{
		Impl: lock, Nemesis: "none", Clients: 3, TTL: time.Second, Poll: 100 * time.Millisecond,
		Hold: 50 * time.Millisecond, Stop: true,
	})
	p.Requires.Contended = 2 * rounds // the rounds are over before
	return p
}

func benchRun(b *testing.B, p harness.Plan, h, trace io.Writer) {
	cfg := sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker()}
	err := sim.Run(cfg, func(w *sim.Environment) error {
		watch := func(history.Header) harness.Watcher { return new(rounder) }
		return harness.Run(context.Background(), p, w, harness.Output{History: h, Trace: trace,
			Watch: watch})
	})
	if err != nil {
		b.Fatal(err)
	}
}
