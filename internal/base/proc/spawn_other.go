//go:build !linux && !darwin

package proc

import (
	"errors"
	"os/exec"
	"time"
)

// errNoSignals is the reason why this system cannot have client processes: it could not stop them.
var errNoSignals = errors.New(
	"clients are processes that can be stopped, which this system does not have; take --env sim")

// Start refuses: see errNoSignals.
func Start(*exec.Cmd) error { return errNoSignals }

// KillGroup returns an error on this system.
func KillGroup(int) error { return errNoSignals }

// StopGroup returns an error on this system.
func StopGroup(int) error { return errNoSignals }

// ResumeGroup returns an error on this system.
func ResumeGroup(int) error { return errNoSignals }

// Stopped is false: nothing is started.
func Stopped(int) bool { return false }

// Gone cannot tell on this system and returns false, so that callers change nothing.
func Gone(int) bool { return false }

// Nap is a short sleep.
func Nap() { time.Sleep(time.Millisecond) }

// began is when this process was started.
var began = time.Now()

// Monotonic is a clock that never jumps, ns: of this process alone.
func Monotonic() int64 { return int64(time.Since(began)) }
