package cluster

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// start starts a child in a process group of its own. Nothing ends it with this process but the end
// of its input, which a worker that is stopped does not see.
func start(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c.Start()
}

// Monotonic reads a clock that is one for all processes of this machine and that nobody sets, ns.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// killGroup ends the process group that a child leads, stopped or not.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// stopGroup stops it, until resumeGroup.
func stopGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGSTOP) }

func resumeGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGCONT) }

// gone reports whether there is no process of this number.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// stopped reports whether a process is stopped by a signal (ps(1): the state is T).
func stopped(pid int) bool {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
}

func nap() { time.Sleep(time.Millisecond) }
