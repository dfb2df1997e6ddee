package docker

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// victimEnv makes the test binary start an environment on the network that it names, pause its
// master, and wait to be killed.
const victimEnv = "LOCKBENCH_VICTIM"

func victim() int {
	l, err := Open(context.Background(), Options{Network: os.Getenv(victimEnv)})
	if err != nil {
		return 1
	}
	dir, err := os.MkdirTemp("", "victim-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	w, err := cluster.Start(cluster.Config{Dir: dir, Topology: nemesis.Failover, Launcher: l})
	if err != nil || w.PauseNode("n0") != nil {
		return 1
	}
	os.Stdout.WriteString(l.owner.run + "\n")
	select {}
}

// start starts a victim and returns its run, which is in the middle of a pause.
func start(t *testing.T, network string) (c *exec.Cmd, run string) {
	t.Helper()
	testenv.Part(t, "docker")
	servers := 2
	if network == Bridge {
		testenv.Part(t, "bridge")
		servers = 3 // one has the proxies
	}
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), victimEnv+"="+network, "TMPDIR="+t.TempDir())
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, err := out.Read(b)
	if err != nil {
		t.Fatalf("the victim did not start: %v", err)
	}
	run = strings.TrimSpace(string(b[:n]))
	if n, paused := len(containers(t, run)), len(paused(t, run)); n != servers || paused != 1 {
		t.Errorf("%d containers of the victim are there, %d of them paused; it must be %d and 1", n,
			paused, servers)
	}
	return c, run
}

// both runs a test for each network.
func both(t *testing.T, f func(t *testing.T, network string)) {
	for _, network := range []string{Host, Bridge} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			f(t, network)
		})
	}
}

// paused are the containers of a run that are.
func paused(t *testing.T, run string) (ids []string) {
	t.Helper()
	d, err := connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_ = d.ours(context.Background(), func(id, state string, labels map[string]string) error {
		if labels[runLabel] == run && state == "paused" {
			ids = append(ids, id)
		}
		return nil
	})
	return ids
}

// janitorOf is the process that cleans up after a run; 0 if there is none.
func janitorOf(run string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if env, _ := os.ReadFile(f); bytes.Contains(env, []byte(janitorEnv+"="+run+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			return pid
		}
	}
	return 0
}

func TestNothingIsLeftOfARunThatIsKilledInAPause(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, network string) {
		c, run := start(t, network)
		_ = c.Process.Kill()
		_ = c.Wait()
		for limit := time.Now().Add(30 * time.Second); len(containers(t, run)) > 0 ||
			janitorOf(run) != 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("containers %v and the janitor %d are left", containers(t, run), janitorOf(run))
			}
		}
	})
}

func TestTheNextStartSweepsWhereTheJanitorWasKilledToo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, network string) {
		c, run := start(t, network)
		j := janitorOf(run)
		if j == 0 {
			t.Fatal("the victim has no janitor")
		}
		if err := syscall.Kill(j, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		open(t, Options{}) // or another run that starts at this moment, and is not done with it
		for limit := time.Now().Add(30 * time.Second); len(containers(t, run)) > 0; time.Sleep(
			50 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%v are left", containers(t, run))
			}
		}
	})
}

func TestSweepRemovesWhatWasAbandonedAndNothingElse(t *testing.T) {
	l := open(t, Options{})
	launch(t, l, somewhere()) // of a process that lives
	stale := l.owner
	// the number lives again, the process does not
	stale.run, stale.pid, stale.start = "stale", strconv.Itoa(os.Getpid()), "1"
	abandoned := create(t, l, stale.labels(""))
	foreign := create(t, l, testcontainers.WithLabels(map[string]string{"other": "1"}))
	// how many depends on who else was killed just now
	if _, err := Sweep(t.Context(), true); err != nil {
		t.Error(err)
	}
	there := func(id string) bool {
		_, err := l.daemon.ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
		return err == nil
	}
	// or another run that starts at this moment has begun to remove it, and is not done with it
	for limit := time.Now().Add(30 * time.Second); there(abandoned); time.Sleep(
		50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the container that was abandoned is left")
		}
	}
	if !there(foreign) {
		t.Error("a container that is not ours is gone")
	}
	if len(containers(t, l.owner.run)) != 1 {
		t.Error("the container of a process that lives is gone")
	}
}

// TestNoNetworkIsLeft: containers join networks that exist.
func TestNoNetworkIsLeft(t *testing.T) {
	l := open(t, Options{})
	before := networks(t, l)
	create(t, l, testcontainers.WithLabels(nil))
	if after := networks(t, l); !slices.Equal(before, after) {
		t.Errorf("before: %v, after: %v", before, after)
	}
}

// networks returns the names of the daemon's networks, sorted.
func networks(t *testing.T, l *Launcher) (names []string) {
	t.Helper()
	list, err := l.daemon.NetworkList(t.Context(), client.NetworkListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list.Items {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// create makes a container that never runs.
func create(t *testing.T, l *Launcher, labels testcontainers.ContainerCustomizer) string {
	t.Helper()
	c, err := makeContainer(t.Context(), l.image.name, labels)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.daemon.remove(context.Background(), c.GetContainerID()) })
	return c.GetContainerID()
}
