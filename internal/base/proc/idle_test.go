package proc

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// soon waits for longer than a machine stalls, unlike Eventually.
func soon(done func() bool) bool { return Await(time.Minute, time.Millisecond, done) }

// TestIdle wants a process that waits to be told from one that works, also when it is stopped, and
// when it is gone.
func TestIdle(t *testing.T) {
	run := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		if err := Start(c); err != nil && runtime.GOOS != "linux" {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	sleeper, worker := run("sleep", "60"), run("sh", "-c", "while :; do :; done")
	if !soon(func() bool { return Idle(sleeper.Process.Pid) }) {
		t.Error("a process that sleeps is not idle")
	}
	for range 20 {
		if Idle(worker.Process.Pid) {
			t.Fatal("a process that works is idle")
		}
		time.Sleep(time.Millisecond)
	}
	_ = syscall.Kill(worker.Process.Pid, syscall.SIGSTOP)
	if !soon(func() bool { return Idle(worker.Process.Pid) }) {
		t.Error("a process that was stopped is not idle")
	}
	_ = worker.Process.Kill()
	_ = worker.Wait()
	if !Idle(worker.Process.Pid) {
		t.Error("a process that is gone is not idle")
	}
}
