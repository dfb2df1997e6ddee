package proc

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Start starts a child in a process group of its own. Nothing ends it with this process but the end
// of its input, which a worker that is stopped does not see.
func Start(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c.Start()
}

// Monotonic reads a clock that is one for all processes of this machine and is never set, ns.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// KillGroup ends the process group that a child leads, stopped or not.
func KillGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// StopGroup stops it, until resumeGroup.
func StopGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGSTOP) }

// ResumeGroup lets it run again.
func ResumeGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGCONT) }

// Gone reports whether no process has this number.
func Gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// Stopped reports whether a process is stopped by a signal (ps(1): the state is T).
func Stopped(pid int) bool {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
}

// Nap is a short sleep.
func Nap() { time.Sleep(time.Millisecond) }
