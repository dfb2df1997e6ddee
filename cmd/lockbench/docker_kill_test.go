package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestNoContainerOutlivesAKill ends a run in containers at random moments, and in the middle of
// docker pause, by each signal in turn.
func TestNoContainerOutlivesAKill(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "docker")
	rounds := 3
	if testenv.Soak() {
		rounds = 60
	}
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}
	for i := range rounds {
		sig := signals[i%len(signals)]
		after := time.Duration(rand.IntN(2500)) * time.Millisecond
		networks := []string{docker.Host, docker.Bridge}
		t.Run(fmt.Sprintf("%s after %v", sig, after), func(t *testing.T) {
			t.Parallel()
			endContained(t, sig, networks[i%2], func(string) { time.Sleep(after) })
		})
		t.Run(fmt.Sprintf("%s in a pause", sig), func(t *testing.T) {
			t.Parallel()
			endContained(t, sig, networks[(i+1)%2], func(pid string) { // the first is SIGKILL on a bridge
				for limit := time.Now().Add(30 * time.Second); len(ours(t, pid, "--filter", "status=paused")) ==
					0; {
					if time.Now().After(limit) {
						t.Fatal("no container was paused")
					}
				}
			})
		})
	}
}

// endContained starts a run that pauses Redis for long, waits, and ends it. Nothing of it may be
// left.
func endContained(t *testing.T, sig syscall.Signal, network string, wait func(pid string)) {
	if network == docker.Bridge {
		testenv.Part(t, "bridge")
	}
	tmp := t.TempDir()
	c := command(t, tmp, "run", "--impl", "token-lua", "--nemesis", "node-pause:stay", "--ttl", "3s",
		"--env", runner.Docker, "--docker-network", network, "--store", filepath.Join(tmp, "store"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := fmt.Sprint(c.Process.Pid)
	wait(pid)
	_ = c.Process.Signal(sig)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); sig != syscall.SIGKILL && code == exitBroken {
		t.Errorf("%s broke it:\n%s", sig, out.String())
	}
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := slices.Concat(ours(t, pid), processes(tmp))
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("after %s are left: %v", sig, left)
		}
	}
}

// ours are the containers that belong to a process.
func ours(t *testing.T, pid string, filters ...string) []string {
	t.Helper()
	return listed(t, append([]string{"ps", "--all", "--quiet", "--filter", "label=lockbench.pid=" +
		pid}, filters...))
}

// listed are the words that docker answers with.
func listed(t *testing.T, args []string) []string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Fields(string(out))
}
