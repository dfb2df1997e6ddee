package matrix_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// idle is an environment whose faults do nothing. It can still look whether they did something.
type idle struct{ *cluster.Environment }

func (idle) KillNode(string) error                    { return nil }
func (idle) PauseNode(string) error                   { return nil }
func (idle) Flush(string) error                       { return nil }
func (idle) ForgetScripts(string) error               { return nil }
func (idle) FillMemory(string) error                  { return nil }
func (idle) SetNodeClock(string, time.Duration) error { return nil }
func (idle) Block(string) error                       { return nil }
func (idle) Stall(string, time.Duration) error        { return nil }
func (idle) Promote(string) error                     { return nil }
func (idle) SwitchOver(string) error                  { return nil }
func (idle) MoveSlot(string) error                    { return nil }
func (idle) Cut(string, string) error                 { return nil }
func (idle) HoldBack(string, string) error            { return nil }
func (idle) Delay(string, time.Duration) error        { return nil }
func (idle) Refuse(string) error                      { return nil }
func (idle) Reset(string) error                       { return nil }
func (idle) KillClient(int) error                     { return nil }
func (idle) PauseClient(int) error                    { return nil }

// aimedAt is a lock that a fault can be aimed at, for those that aim at something which not
// every lock does.
var aimedAt = map[string]string{
	"between": "setpx-getdel", "check": "setpx-getdel", "expire": "setnx-expire", "takeover": "getset",
	"again": "redisson", "vote": "redlock", "nil": "setnx-del-expired", "finally": "getset-java",
	"minority-loss": "redlock", "majority-loss": "redlock",
}

// inEnsemble stands for the proof of what Redis cannot have.
const inEnsemble = "Redis has no ensemble; the steps are those of other faults, and an election " +
	"that does not come ends the run as unknown"

// proofless are the faults whose effect cannot be proved, with what stands for the proof.
var proofless = map[string]string{
	"clock-client": "it is an order that the client does not answer; " +
		"TestTheClockIsAsWrongAsItIsTold of workloads reads its clock, and TestEachFaultOnRealRedis " +
		"finds what follows",
	"cancel": "it is an order that the client does not answer; cancel.txtar finds what follows",
	"message": "it is an order that the client does not answer; TestWhatBefallsTheNextCommand of " +
		"tap looks at the command, and so does message.txt of the simulator",
	"suspend": "only the simulator does it; suspended-redlock.txt of sim and " +
		"TestAClockThatStoodIsBehind of workloads look at the clock",
	"leader-loss": inEnsemble, "member-loss": inEnsemble,
}

// everyFault names each fault of the table with each variant that does something.
func everyFault(t *testing.T) (specs []string) {
	for _, e := range nemesis.All() {
		for _, v := range append(e.Variants, nemesis.Variant{}) {
			spec := e.Name
			if v.Name != "" {
				spec += ":" + strings.NewReplacer("DURATION", "30ms", "N", "3").Replace(v.Name)
			} else if len(e.Variants) > 0 {
				continue
			}
			if !v.Control && proofless[e.Name] == "" && harms(t, spec) {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

func lockFor(spec string) string {
	name, variant, _ := strings.Cut(spec, ":")
	for _, w := range []string{variant, name} {
		if l := aimedAt[w]; l != "" {
			return l
		}
	}
	return "token-lua"
}

func planFor(t *testing.T, spec string) harness.Plan {
	t.Helper()
	w := harness.RunOptions{Impl: lockFor(spec), Nemesis: spec, Seed: 1, Environment: "process",
		TTL: 300 * time.Millisecond, For: 30 * time.Second}
	if fs, err := nemesis.Parse(spec); err == nil && fs.TooShort(w.TTL) != nil {
		w.TTL = 5 * time.Second
	}
	if w.Impl == "redlock" {
		w.Masters = 3
		w.NodeTimeout = history.Duration(100 * time.Millisecond) // no machine is too slow for it
	}
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// harms reports whether a scenario has a fault in it: some are only clients that meet at a bad
// moment.
func harms(t *testing.T, spec string) bool {
	for _, s := range planFor(t, spec).Scenario {
		if s.Fault() && s.Do != nemesis.Redirect {
			return true
		}
	}
	return false
}

// TestAFaultThatDoesNothingProvesNothing runs a lock under every fault of the table, each variant,
// in an environment where it does nothing. The lock must not be called safe for that.
func TestAFaultThatDoesNothingProvesNothing(t *testing.T) {
	testenv.Part(t, "redis")
	specs := everyFault(t)
	if len(specs) < 40 {
		t.Errorf("only %d faults", len(specs))
	}
	slots := make(chan struct{}, 3)
	for i, spec := range specs {
		if i%testenv.Large(1, 8) != 0 {
			continue
		}
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			if strings.HasPrefix(spec, "clock-server") {
				testenv.Part(t, "cc")
			}
			p := planFor(t, spec)
			if p.Topology == nemesis.Sentinel {
				testenv.Part(t, "sentinel")
			}
			v, runErr := withoutEffect(t, p)
			// No client came to the place where it is injected, or the machine stopped for so long that this
			// was a fault that did have an effect: a holder that was late outlasted its lease.
			for tries := 1; (runErr == nil || batch.Disturbed(p, v) || v.Verdict == checker.Violated) &&
				tries < 6; tries++ {
				v, runErr = withoutEffect(t, p)
			}
			if v.Verdict != checker.Unknown || v.Exit != checker.ExitBroken {
				t.Errorf("%s (exit %d): %s\n%v", v.Verdict, v.Exit, v.Summary, runErr)
			}
			if runErr == nil || !strings.Contains(runErr.Error(), "no effect") &&
				!strings.Contains(runErr.Error(), "free") {
				t.Errorf("it is not said that the fault had no effect: %v", runErr)
			}
		})
	}
}

// withoutEffect carries out a plan whose faults do nothing.
func withoutEffect(t *testing.T, p harness.Plan) (*checker.Verdict, error) {
	w, err := cluster.Start(clusterOf(t, p))
	for tries := 1; err != nil && tries < 6; tries++ { // a client had no time to reach its server
		w, err = cluster.Start(clusterOf(t, p))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var hist, trace bytes.Buffer
	runErr := harness.Run(t.Context(), p, idle{w}, harness.Output{History: &hist, Trace: &trace})
	h, err := history.Read(&hist)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := history.ReadTrace(&trace)
	if err != nil {
		t.Fatal(err)
	}
	return checker.Check(h, commands, checker.Options{}), runErr
}

// clusterOf is the environment that a plan runs in.
func clusterOf(t *testing.T, p harness.Plan) cluster.Config {
	return cluster.Config{
		Dir: t.TempDir(), Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
		Clients: p.Clients, Seed: p.Seed, Scenario: p.Scenario, Worker: p.Worker(),
		RedisConfig: p.RedisConfig,
	}
}
