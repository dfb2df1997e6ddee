package cluster

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawner starts all children from one thread that never ends: the parent-death signal of a child is sent when the thread
// that started it ends, not when the process does (REALFAULT.md §7).
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

// start starts a child in a process group of its own that dies with this process, stopped or not.
func start(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	done := make(chan error)
	spawner() <- func() { done <- c.Start() }
	return <-done
}

// Monotonic reads CLOCK_MONOTONIC, ns: one clock for all processes of this machine.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // the kernel has had this clock since 2.6
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

// nap is much shorter than time.Sleep can be: Go's timers wait for whole milliseconds when nothing else goes on.
func nap() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 30_000}, nil) }
