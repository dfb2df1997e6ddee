//go:build !linux && !darwin

package cluster

import (
	"errors"
	"os/exec"
	"time"
)

// errNoSignals is why there are no processes of ours here: they could not be stopped.
var errNoSignals = errors.New(
	"clients are processes that can be stopped, which this system does not have; take --env sim")

func start(*exec.Cmd) error { return errNoSignals }

func killGroup(int) error { return errNoSignals }

func stopGroup(int) error { return errNoSignals }

func resumeGroup(int) error { return errNoSignals }

func stopped(int) bool { return false }

// gone cannot tell, and so leaves everything as it is.
func gone(int) bool { return false }

func nap() { time.Sleep(time.Millisecond) }

// began is when this process was started.
var began = time.Now()

// Monotonic is a clock that never jumps, ns: of this process alone.
func Monotonic() int64 { return int64(time.Since(began)) }
