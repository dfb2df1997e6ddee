package campaign_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/need"
)

// idle is a world whose faults do nothing. It can still look whether they did something.
type idle struct{ *cluster.World }

func (idle) KillNode(string) error                    { return nil }
func (idle) PauseNode(string) error                   { return nil }
func (idle) SetNodeClock(string, time.Duration) error { return nil }
func (idle) Block(string) error                       { return nil }
func (idle) Stall(string, time.Duration) error        { return nil }
func (idle) Promote(string) error                     { return nil }
func (idle) Cut(string, string) error                 { return nil }
func (idle) Hold(string, string) error                { return nil }
func (idle) Delay(string, time.Duration) error        { return nil }
func (idle) Refuse(string) error                      { return nil }
func (idle) Reset(string) error                       { return nil }
func (idle) KillClient(int) error                     { return nil }
func (idle) PauseClient(int) error                    { return nil }

// TestAFaultThatDoesNothingProvesNothing runs a lock under faults that do nothing. The lock must not be called safe for that.
func TestAFaultThatDoesNothingProvesNothing(t *testing.T) {
	need.Part(t, "redis")
	for _, nemesis := range []string{
		"failover", "pause", "crash", "partition", "partition:refuse", "partition:reset", "reply-loss", "late", "latency", "restart", "clock-server", "busy", "busy:kill",
		"node-pause", "node-crash",
	} {
		t.Run(nemesis, func(t *testing.T) {
			if nemesis == "clock-server" {
				need.Part(t, "cc")
			}
			p, err := harness.NewPlan(harness.Wish{Impl: "token-lua", Nemesis: nemesis, Seed: 1, TTL: 300 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			w, err := cluster.Start(cluster.Config{
				Dir: t.TempDir(), Topology: p.Topology, Clients: p.Clients, Seed: p.Seed, Scenario: p.Scenario, Worker: p.Worker(),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var hist, trace bytes.Buffer
			runErr := harness.Run(t.Context(), p, idle{w}, harness.Output{History: &hist, Trace: &trace, Started: time.Now()})
			h, err := history.Read(&hist)
			if err != nil {
				t.Fatal(err)
			}
			v := checker.Check(h, nil, checker.Options{})
			if v.Verdict != checker.Unknown || v.Exit != checker.ExitBroken {
				t.Errorf("%s (exit %d): %s", v.Verdict, v.Exit, v.Summary)
			}
			t.Log(runErr)
		})
	}
}
