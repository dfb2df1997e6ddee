//go:build unix

package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestATerminalThatIsClosedEndsARun wants a run on a Redis of another owner to leave nothing there.
func TestATerminalThatIsClosedEndsARun(t *testing.T) {
	t.Parallel()
	s := newStaging(t)
	tmp := t.TempDir()
	// under nohup it would be ignored, there too
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	c := command(t, tmp, "run", "--impl", "setnx", "--env", runner.External, "--addr", s.plain,
		"--hold", "20s", "--ttl", "30s", "--for", "60s", "--store", filepath.Join(tmp, "store"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); len(s.admin.Keys(t.Context(),
		"*:lock:*").Val()) == 0; {
		if time.Now().After(limit) {
			t.Fatal("no client has got the lock")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, not %d", code, exitInterrupted)
	}
	if keys := s.admin.Keys(t.Context(), "*").Val(); len(keys) != 0 {
		t.Errorf("the keys %v are left", keys)
	}
}

// TestTheDeathOfGoIsNoVerdict wants a panic that nothing can catch not to exit with 2, which says
// that the verdict is unknown.
func TestTheDeathOfGoIsNoVerdict(t *testing.T) {
	t.Parallel()
	c := command(t, t.TempDir(), "check", "-")
	c.Env = append(c.Env, panicEnv+"=1")
	in, err := c.StdinPipe() // check waits for it
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err == nil {
		t.Fatal("it did not die")
	}
	if code := c.ProcessState.ExitCode(); code >= 0 || !strings.Contains(said.String(), "planted") {
		t.Errorf("exit code %d: %.200s", code, said.String())
	}
}
