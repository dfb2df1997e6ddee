package docker

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/redis/go-redis/v9"
	"github.com/testcontainers/testcontainers-go"
)

func TestMain(m *testing.M) {
	switch {
	case proxy.IsRemote():
		os.Exit(proxy.RemoteMain(os.Stdout))
	case IsJanitor():
		os.Exit(JanitorMain(os.Stdin))
	case os.Getenv(askEnv) != "":
		os.Exit(asked())
	case os.Getenv(victimEnv) != "":
		os.Exit(victim())
	}
	meet()
	testenv.SideBySide(3)
	os.Exit(m.Run())
}

// meet introduces testcontainers to this machine's daemon: it keeps to the first that it is told
// of, and some tests pretend to have another.
func meet() {
	d, err := connect(context.Background())
	if err != nil {
		return
	}
	defer d.Close()
	if c, err := testcontainers.NewDockerClientWithOpts(context.Background()); err == nil {
		c.Close()
	}
}

// open opens a launcher and sees to it that nothing of it is left.
func open(t *testing.T, o Options) *Launcher {
	t.Helper()
	testenv.Part(t, "docker")
	if o.Network == Bridge {
		testenv.Part(t, "bridge")
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
		if left := containers(t, run); len(left) > 0 {
			t.Errorf("containers %v are left", left)
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

// place gives a server a route, where it is beside remote proxies.
func place(t *testing.T, l *Launcher, c server.NodeConfig) server.NodeConfig {
	t.Helper()
	s, err := l.Remote()
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
		err = c.PlaceRemote(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// somewhere returns a server at an address of loopback of its own.
func somewhere() server.NodeConfig {
	host, port := testenv.Address()
	return server.NodeConfig{Host: host, Port: port}
}

// launch starts one server and waits until it can be used.
func launch(t *testing.T, l *Launcher, c server.NodeConfig) server.Server {
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

// patient is more time than a machine stalls.
const patient = time.Minute

// ask sends a command to a server on a connection of its own.
func ask(addr string, timeout time.Duration, args ...any) (string, error) {
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2,
		DisableIdentity: true, ReadTimeout: timeout})
	defer c.Close()
	return c.Do(context.Background(), args...).Text()
}

func TestServerIsPausedResumedKilledAndStartedEmpty(t *testing.T) {
	t.Parallel()
	for _, network := range []string{Host, Bridge} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l := open(t, Options{Network: network})
			c := place(t, l, somewhere())
			s := launch(t, l, c)
			if _, err := ask(c.Addr(), patient, "SET", "k", "v"); err != nil {
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
			if got, err := ask(c.Addr(), patient, "GET", "k"); got != "v" {
				t.Errorf("after the pause GET k is %q, %v", got, err)
			}
			s.Kill()
			if s.Err() == nil {
				t.Error("a killed server has no reason")
			}
			launch(t, l, c)
			if got, err := ask(c.Addr(), patient, "GET", "k"); err != redis.Nil {
				t.Errorf("a server that was started again has k = %q, %v", got, err)
			}
		})
	}
}

func TestAServerThatIsPausedCanBeKilled(t *testing.T) {
	t.Parallel()
	l := open(t, Options{})
	s := launch(t, l, somewhere())
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	s.Kill()
}

func TestWhatAServerSaysAtItsEnd(t *testing.T) {
	t.Parallel()
	l := open(t, Options{})
	c := somewhere()
	c.Name, c.Log, c.Config = "n0", t.TempDir()+"/log", []string{"no-such-setting", "1"}
	s, err := l.Launch(c)
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
		"failover": Host, "independent": Host, "sentinel": Host, "failover on a bridge": Bridge,
		"sentinel on a bridge": Bridge,
	} {
		topology, _, _ := strings.Cut(name, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, Options{Network: network})
			w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: topology, Masters: 3,
				Launcher: l})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if v := w.Versions(); w.Name() != "docker" || v["redis"] == "" ||
				!strings.HasPrefix(v["image"], DefaultImage) || v["docker"] == "" {
				t.Errorf("environment %s, versions %v", w.Name(), v)
			}
		})
	}
}

func TestARestartWithFiles(t *testing.T) {
	t.Parallel()
	for _, network := range []string{Host, Bridge} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l := open(t, Options{Network: network})
			c := somewhere()
			c.Dir, c.Config = t.TempDir()+"/n0", []string{"appendonly", "yes", "appendfsync", "always"}
			c = place(t, l, c)
			s := launch(t, l, c)
			if _, err := ask(c.Addr(), patient, "SET", "k", "v"); err != nil {
				t.Fatal(err)
			}
			s.Kill()
			launch(t, l, c)
			if got, err := ask(c.Addr(), patient, "GET", "k"); got != "v" {
				t.Errorf("after a restart with its files GET k is %q, %v", got, err)
			}
		})
	}
}
