//go:build !linux && !darwin

package proc

import (
	"errors"
	"os/exec"
	"time"
)

// errNoSignals is the reason why this system has no client processes: it cannot stop them.
var errNoSignals = errors.New(
	"clients are processes that can be stopped, which this system does not have; take --env sim")

// Start returns an error on this system.
func Start(*exec.Cmd) error { return errNoSignals }

// KillGroup returns an error on this system.
func KillGroup(int) error { return errNoSignals }

// StopGroup returns an error on this system.
func StopGroup(int) error { return errNoSignals }

// ResumeGroup returns an error on this system.
func ResumeGroup(int) error { return errNoSignals }

// Stopped returns false, because no process was started.
func Stopped(int) bool { return false }

// IsGone returns false, because this system cannot tell. Callers then change nothing.
func IsGone(int) bool { return false }

// Nap sleeps for a short time.
func Nap() { time.Sleep(time.Millisecond) }

// began is the start time of this process.
var began = time.Now()

// Monotonic reads a clock of this process alone that never jumps, in ns.
func Monotonic() int64 { return int64(time.Since(began)) }
