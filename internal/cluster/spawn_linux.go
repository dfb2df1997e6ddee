package cluster

import (
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
