// Package proc starts, stops and observes processes of this machine. Its children never outlive
// this process, however it ends.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawner starts all children from one thread that never ends. The kernel sends the parent-death
// signal of a child when the thread that started it ends, not when the process does
// (docs/running.md, Children).
var spawner = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// Start starts a child in a process group of its own that dies with this process, stopped or not.
func Start(c *exec.Cmd) error {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Pdeathsig, c.SysProcAttr.Setpgid = syscall.SIGKILL, true
	done := make(chan error)
	spawner() <- func() { done <- c.Start() }
	return <-done
}

// Monotonic reads CLOCK_MONOTONIC, which all processes of this machine share, in ns.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // the kernel has had this clock since 2.6
	}
	return ts.Nano()
}

// Nap sleeps for a much shorter time than time.Sleep can: on an idle system, Go's timers wait for
// whole milliseconds.
func Nap() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 30_000}, nil) }

// Stopped reports whether a signal has stopped a process. In the file, the state follows the name
// in parentheses (proc(5)).
func Stopped(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(b, ')')
	return err == nil && i >= 0 && len(b) > i+2 && (b[i+2] == 'T' || b[i+2] == 't')
}

// LogTo redirects the standard error of this process to the end of an existing file, including Go's
// output of a panic.
func LogTo(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Dup3(int(f.Fd()), 2, 0)
}
