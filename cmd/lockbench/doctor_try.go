package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// tried are the environments that doctor can say something about, in the order of its table.
var tried = []string{envProcess, envDocker, envExternal, envSim}

// yes says that an environment, or a fault in it, is possible.
const yes = "yes"

// trial is what came of trying an environment.
type trial struct {
	name   string
	err    error                // why there is no such environment here
	note   string               // what is to be known where there is none to try
	ground nemesis.Capabilities // what it offers, less what did not work
}

func (t trial) said() string {
	switch {
	case t.err != nil:
		return strings.Join(strings.Fields(t.err.Error()), " ")
	case t.note != "":
		return t.note
	}
	return yes
}

// tryEnvironments tries them side by side.
func tryEnvironments(ctx context.Context) []trial {
	all := make([]trial, len(tried))
	var wait sync.WaitGroup
	for i, name := range tried {
		wait.Go(func() {
			t := trial{name: name, ground: nemesis.CapabilitiesOf(name)}
			switch name {
			case envProcess:
				t.err = t.process()
			case envDocker:
				t.err = t.docker(ctx)
			case envExternal:
				t.note = "with --addr host:port of a Redis that is there already"
			case envSim:
				t.err = t.sim()
			}
			all[i] = t
		})
	}
	wait.Wait()
	return all
}

func (t *trial) process() error {
	if runtime.GOOS != "linux" {
		return errors.New("it is for Linux")
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		return cluster.ErrNoRedis
	}
	return t.servers(cluster.Config{})
}

func (t *trial) docker(ctx context.Context) error {
	if err := docker.Ready(ctx, docker.Options{}); err != nil {
		return err
	}
	l, err := docker.Open(ctx, docker.Options{})
	if err != nil {
		return err
	}
	return errors.Join(t.servers(cluster.Config{Launcher: l, Spawner: l.Spawner()}), l.Close())
}

// sim runs a bubble: that one may be started outside of a test is not documented, and may end with
// another Go.
func (t *trial) sim() error {
	return sim.Run(sim.Config{Topology: nemesis.Single, Clients: 1, Worker: smallest},
		func(*sim.Environment) error { return nil })
}

// smallest is a worker's configuration with which it starts.
var smallest = workloads.Config{
	Impl: "token-lua", TTL: history.Duration(time.Second),
	Poll: history.Duration(10 * time.Millisecond), AcquireTimeout: history.Duration(time.Second),
	ClientTimeout: history.Duration(time.Second), Keys: []string{"lock:0"},
}

// the steps that are tried, each of which a machine can refuse although the environment can be had.
var trySteps = []nemesis.Step{
	{Do: nemesis.PauseNode, Target: "n0"}, {Do: nemesis.ResumeNode, Target: "n0"},
	{Do: nemesis.Pause, Target: "c0"}, {Do: nemesis.Unpause, Target: "c0"},
	{Do: nemesis.NodeClock, Target: "n0", Offset: history.Duration(time.Hour)},
}

// servers starts a Redis and a client, and does to them what may not be possible here. If it is
// only the clock that cannot be moved, the environment is possible without.
func (t *trial) servers(cfg cluster.Config) error {
	clock := trySteps[len(trySteps)-1:]
	err := t.attempt(cfg, clock)
	if err == nil {
		return nil
	}
	if again := t.attempt(cfg, nil); again != nil {
		return again
	}
	why := reason(err)
	t.ground = t.ground.Without(nemesis.NodeClock, strings.Join(strings.Fields(why), " "))
	return nil
}

// attempt makes an environment that is prepared for a scenario and does what may not be possible to
// it.
func (t *trial) attempt(cfg cluster.Config, scenario []nemesis.Step) (err error) {
	if cfg.Dir, err = os.MkdirTemp("", "lockbench-doctor-"); err != nil {
		return err
	}
	defer os.RemoveAll(cfg.Dir)
	cfg.Topology, cfg.Clients, cfg.Worker, cfg.Scenario = nemesis.Single, 1, smallest, scenario
	w, err := cluster.Start(cfg)
	if err != nil {
		return fmt.Errorf("%w%s", err, lastWords(cfg.Dir))
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, s := range trySteps {
		if s.Do == nemesis.NodeClock && len(scenario) == 0 {
			continue
		}
		if err := nemesis.Apply(w, s); err != nil {
			t.ground = t.ground.Without(s.Do, err.Error())
		} else if err := w.Prove(s); err != nil {
			t.ground = t.ground.Without(s.Do, err.Error())
		}
	}
	return nil
}

// lastWords is what a server said at last: the folder with its log goes away.
func lastWords(dir string) string {
	log, _ := os.ReadFile(filepath.Join(dir, "logs", "n0.log"))
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return " (its last words: " + last + ")"
	}
	return ""
}
