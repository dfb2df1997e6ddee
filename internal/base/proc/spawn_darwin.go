package proc

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Start starts a child in a process group of its own. The child ends with this process only because
// its input ends. A stopped worker does not notice that.
func Start(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c.Start()
}

// Monotonic reads a clock that all processes of this machine share and that is never set, in ns.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// Stopped reports whether a signal has stopped a process (ps(1): the state is T).
func Stopped(pid int) bool {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
}

// Nap sleeps for a short time.
func Nap() { time.Sleep(time.Millisecond) }
