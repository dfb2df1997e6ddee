package docker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/need"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/moby/moby/client"
	"github.com/redis/go-redis/v9"
)

func TestMain(m *testing.M) {
	switch {
	case cluster.IsWorker():
		os.Exit(cluster.WorkerMain(os.Stdin, os.Stdout))
	case cluster.IsSite():
		os.Exit(cluster.SiteMain(os.Stdout))
	case IsJanitor():
		os.Exit(JanitorMain(os.Stdin))
	case os.Getenv(askEnv) != "":
		os.Exit(asked())
	case os.Getenv(victimEnv) != "":
		os.Exit(victim())
	}
	os.Exit(m.Run())
}

// open opens a launcher and sees to it that nothing of it is left.
func open(t *testing.T, o Options) *Launcher {
	t.Helper()
	need.Part(t, "docker")
	if o.Network == Bridge {
		need.Part(t, "bridge")
	}
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run := l.owner.run
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if left := append(containers(t, run), networks(t, run)...); len(left) > 0 {
			t.Errorf("containers or networks %v are left", left)
		}
	})
	return l
}

// containers are those of a run, or with "" all of ours.
func containers(t *testing.T, run string) (ids []string) {
	t.Helper()
	d, err := connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.ours(context.Background(), func(id, _ string, labels map[string]string) error {
		if run == "" || labels[runLabel] == run {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// place gives a server an address: one of its own on the host's network, else a door at the proxies.
func place(t *testing.T, l *Launcher, c cluster.NodeConfig) cluster.NodeConfig {
	t.Helper()
	s, err := l.Site()
	if err != nil {
		t.Fatal(err)
	}
	c.Name = "n0"
	if s != nil {
		t.Cleanup(func() {
			if err := s.End(); err != nil {
				t.Error(err)
			}
		})
		err = c.Settle(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// launch starts one server and waits until it can be used.
func launch(t *testing.T, l *Launcher, c cluster.NodeConfig) cluster.Server {
	t.Helper()
	dir := t.TempDir()
	c.Name, c.Log = "n0", dir+"/log"
	s, err := l.Launch(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	if err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a command to a server on a connection of its own.
func ask(addr string, timeout time.Duration, args ...any) (string, error) {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true, ReadTimeout: timeout})
	defer c.Close()
	return c.Do(context.Background(), args...).Text()
}

func TestServerIsPausedResumedKilledAndStartedEmpty(t *testing.T) {
	t.Parallel()
	for i, network := range []string{Host, Bridge} {
		t.Run(network, func(t *testing.T) {
			l := open(t, Options{Network: network})
			c := place(t, l, cluster.NodeConfig{Host: "127.83.1." + strconv.Itoa(1+i), Port: 23456})
			s := launch(t, l, c)
			if _, err := ask(c.Addr(), time.Second, "SET", "k", "v"); err != nil {
				t.Fatal(err)
			}
			if err := s.Pause(); err != nil {
				t.Fatal(err)
			}
			if got, err := ask(c.Addr(), 100*time.Millisecond, "GET", "k"); err == nil {
				t.Errorf("a paused server answers %q", got)
			}
			if err := s.Resume(); err != nil {
				t.Fatal(err)
			}
			if got, err := ask(c.Addr(), time.Second, "GET", "k"); got != "v" {
				t.Errorf("after the pause GET k is %q, %v", got, err)
			}
			s.Kill()
			if s.Err() == nil {
				t.Error("a killed server has no reason")
			}
			launch(t, l, c)
			if got, err := ask(c.Addr(), time.Second, "GET", "k"); err != redis.Nil {
				t.Errorf("a server that was started again has k = %q, %v", got, err)
			}
		})
	}
}

func TestAServerThatIsPausedCanBeKilled(t *testing.T) {
	l := open(t, Options{})
	s := launch(t, l, cluster.NodeConfig{Host: "127.83.2.1", Port: 23456})
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	s.Kill()
}

func TestWhatAServerSaysAtItsEnd(t *testing.T) {
	l := open(t, Options{})
	s, err := l.Launch(cluster.NodeConfig{Name: "n0", Host: "127.83.3.1", Port: 23456, Log: t.TempDir() + "/log", Config: []string{"no-such-setting", "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(); err == nil || !strings.Contains(err.Error(), "Bad directive") {
		t.Errorf("a server with a bad setting says %v", err)
	}
}

func TestTheTopologies(t *testing.T) {
	t.Parallel()
	for name, network := range map[string]string{
		"failover": Host, "independent": Host, "sentinel": Host, "failover on a bridge": Bridge, "sentinel on a bridge": Bridge,
	} {
		topology, _, _ := strings.Cut(name, " ")
		t.Run(name, func(t *testing.T) {
			l := open(t, Options{Network: network})
			w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: topology, Masters: 3, Launcher: l})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if v := w.Versions(); w.Name() != "docker" || v["redis"] == "" || !strings.HasPrefix(v["image"], DefaultImage) || v["docker"] == "" {
				t.Errorf("world %s, versions %v", w.Name(), v)
			}
		})
	}
}

func TestWorkersInContainers(t *testing.T) {
	t.Parallel()
	for network, others := range map[string]int{Host: 1, Bridge: 2} { // Redis, and the proxies
		t.Run(network, func(t *testing.T) { workersInContainers(t, network, others) })
	}
}

func workersInContainers(t *testing.T, network string, others int) {
	l := open(t, Options{Network: network, Workers: InContainer})
	w, err := cluster.Start(cluster.Config{
		Dir: t.TempDir(), Topology: nemesis.Single, Launcher: l, Spawner: l.Spawner(), Clients: 2,
		Worker: workloads.Config{
			Impl: "token-lua", TTL: history.Duration(time.Second), Poll: history.Duration(time.Millisecond), AcquireTimeout: history.Duration(time.Second),
			ClientTimeout: history.Duration(time.Second), Keys: []string{"lock:0"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n := len(containers(t, l.owner.run)); n != others+2 {
		t.Errorf("%d containers run, not %d and two workers", n, others)
	}
	for _, s := range []nemesis.Step{{Do: nemesis.Pause, Target: "c0"}, {Do: nemesis.Unpause, Target: "c0"}, {Do: nemesis.Crash, Target: "c1"}} {
		if err := nemesis.Apply(w, s); err != nil {
			t.Error(err)
		}
		if err := w.Prove(s); err != nil {
			t.Errorf("%s: %v", s.Do, err)
		}
	}
	r, ok := w.Next(t.Context(), w.Now()+int64(time.Second))
	for ok && r.Exit == nil {
		r, ok = w.Next(t.Context(), w.Now()+int64(time.Second))
	}
	if !ok || r.Process != 1 {
		t.Errorf("the end of a killed worker was not reported: %+v", r)
	}
}

func TestARestartWithFiles(t *testing.T) {
	t.Parallel()
	for i, network := range []string{Host, Bridge} {
		t.Run(network, func(t *testing.T) {
			l := open(t, Options{Network: network})
			c := place(t, l, cluster.NodeConfig{
				Host: "127.83.5." + strconv.Itoa(1+i), Port: 23456, Dir: t.TempDir() + "/n0", Config: []string{"appendonly", "yes", "appendfsync", "always"},
			})
			s := launch(t, l, c)
			if _, err := ask(c.Addr(), time.Second, "SET", "k", "v"); err != nil {
				t.Fatal(err)
			}
			s.Kill()
			launch(t, l, c)
			if got, err := ask(c.Addr(), time.Second, "GET", "k"); got != "v" {
				t.Errorf("after a restart with its files GET k is %q, %v", got, err)
			}
		})
	}
}

func TestADaemonThatMayBeElsewhere(t *testing.T) {
	t.Setenv("DOCKER_HOST", need.Elsewhere(t))
	if err := Ready(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	demand(t, Ready(t.Context(), Options{Network: Host}), "may be on another machine")
	l := open(t, Options{})
	if v := l.Versions(); v["network"] != Bridge || v["proxies"] != InContainer {
		t.Errorf("what the report names is %v", v)
	}
	for _, row := range []struct {
		topology string
		scenario []nemesis.Step
	}{
		{nemesis.Failover, nil},
		{nemesis.Single, []nemesis.Step{{Do: nemesis.NodeClock, Target: "n0", Offset: history.Duration(time.Hour)}}},
	} {
		w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: row.topology, Masters: 2, Launcher: l, Scenario: row.scenario})
		if err != nil {
			t.Errorf("%s: %v", row.topology, err)
			continue
		}
		for _, s := range row.scenario {
			if err := errors.Join(nemesis.Apply(w, s), w.Prove(s)); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingButTheProxiesIsPublished looks at what an image that declares a port would have published by testcontainers, on every interface.
func TestNothingButTheProxiesIsPublished(t *testing.T) {
	t.Parallel()
	need.Part(t, "bridge")
	const declares = "lockbench/exposes:test"
	build := exec.Command("docker", "build", "-q", "-t", declares, "-")
	build.Stdin = strings.NewReader("FROM " + DefaultImage + "\nEXPOSE 6379\n")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", declares).Run() })
	l := open(t, Options{Network: Bridge, Image: declares})
	launch(t, l, place(t, l, cluster.NodeConfig{}))
	for _, id := range containers(t, l.owner.run) {
		r, err := l.daemon.ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for port, at := range r.Container.NetworkSettings.Ports {
			for _, b := range at {
				if r.Container.Config.Labels["lockbench.node"] != "proxies" || b.HostIP.String() != "127.0.0.1" {
					t.Errorf("%s publishes %s on %s", r.Container.Config.Labels["lockbench.node"], port, b.HostIP)
				}
			}
		}
	}
}
