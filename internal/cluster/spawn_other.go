//go:build !linux

package cluster

import (
	"errors"
	"os/exec"
	"time"
)

// errNotLinux is why there are no processes of ours elsewhere: nothing there ends a child with its parent.
var errNotLinux = errors.New("the world process is for Linux; take --env sim")

func start(*exec.Cmd) error { return errNotLinux }

func killGroup(int) error { return errNotLinux }

func stopGroup(int) error { return errNotLinux }

func resumeGroup(int) error { return errNotLinux }

// gone cannot tell, and so leaves everything as it is.
func gone(int) bool { return false }

func nap() { time.Sleep(time.Millisecond) }

// began is when this process was started.
var began = time.Now()

// Monotonic is a clock that never jumps, ns: of this process alone.
func Monotonic() int64 { return int64(time.Since(began)) }
