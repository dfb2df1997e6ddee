package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// tried lists the environments that doctor checks, in the order of its table.
var tried = []string{runner.Process, runner.Docker, runner.External, runner.Sim}

// trial is the result of trying an environment.
type trial struct {
	environment string
	err         error                // why the machine lacks the environment
	note        string               // how to get the environment, if the machine lacks it
	has         nemesis.Capabilities // without the capabilities that failed
}

// String returns Yes, or the reason in one line.
func (t trial) String() string {
	switch {
	case t.err != nil:
		return oneLine(t.err.Error())
	case t.note != "":
		return t.note
	}
	return string(Yes)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// tryAll tries the environments concurrently.
func tryAll(ctx context.Context) []trial {
	all := make([]trial, len(tried))
	var wait sync.WaitGroup
	for i, name := range tried {
		wait.Go(func() {
			t := trial{environment: name, has: nemesis.CapabilitiesOf(name)}
			switch name {
			case runner.External:
				t.note = "with --addr host:port of a Redis that runs already"
			case runner.Sim:
				t.err = bubble()
			default:
				t.err = t.servers(ctx)
			}
			all[i] = t
		})
	}
	wait.Wait()
	return all
}

// smallest returns a plan with one server and one client.
func smallest(c runner.Choice) (harness.Plan, error) {
	return harness.NewPlan(harness.RunOptions{Impl: "token-lua", Nemesis: "none", Clients: 1,
		Environment: c.Environment, Place: c.Place})
}

// bubble makes a run of the simulator that does nothing. The simulator needs the bubble of virtual
// time of testing/synctest. Go documents it only for tests, so a later Go may refuse it here.
func bubble() error {
	p, err := smallest(runner.Choice{Environment: runner.Sim})
	if err != nil {
		return err
	}
	return sim.Run(sim.Config{Topology: p.Topology, Clients: p.Clients, Worker: p.Worker()},
		func(*sim.Environment) error { return nil })
}

// The steps that are tried in each environment. If the machine refuses one, the environment is
// still possible, without that step.
var (
	pauses = []nemesis.Step{
		{Do: nemesis.PauseNode, Target: "n0"}, {Do: nemesis.ResumeNode, Target: "n0"},
		{Do: nemesis.Pause, Target: "c0"}, {Do: nemesis.Unpause, Target: "c0"},
	}
	clocks = []nemesis.Step{
		{Do: nemesis.NodeClock, Target: "n0", Offset: history.Duration(time.Hour)},
	}
)

// servers starts a Redis and a client, and tries the steps that this machine may refuse. If only
// the clock step fails, the environment is possible without that step.
func (t *trial) servers(ctx context.Context) error {
	if t.environment == runner.Process && runtime.GOOS != "linux" {
		return errors.New("it is for Linux")
	}
	c, err := runner.Choose(ctx, t.environment, harness.Place{})
	if err == nil {
		err = runner.Available(ctx, c)
	}
	if err != nil {
		return err
	}
	withClocks := t.attempt(ctx, c, clocks)
	if withClocks == nil {
		return nil
	}
	if err := t.attempt(ctx, c, nil); err != nil {
		return err
	}
	t.has = t.has.Minus(nemesis.NodeClock, oneLine(reason(withClocks)))
	return nil
}

// attempt opens an environment that is prepared for a scenario, and carries out the scenario and
// the pauses.
func (t *trial) attempt(ctx context.Context, c runner.Choice,
	scenario []nemesis.Step) (err error) {
	p, err := smallest(c)
	if err != nil {
		return err
	}
	p.Scenario = scenario
	dir, err := os.MkdirTemp("", "lockbench-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := runner.Open(ctx, p, dir, nil)
	if err != nil {
		return fmt.Errorf("%w%s", err, lastWords(dir))
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for _, s := range append(pauses[:len(pauses):len(pauses)], scenario...) {
		err := nemesis.Apply(e, s)
		if err == nil {
			err = e.Prove(s)
		}
		if err != nil {
			t.has = t.has.Minus(s.Do, err.Error())
		}
	}
	return nil
}

// lastWords returns the end of a server's log. The log disappears with its folder.
func lastWords(dir string) string {
	log, _ := os.ReadFile(filepath.Join(dir, "logs", "n0.log"))
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return " (its last words: " + last + ")"
	}
	return ""
}
