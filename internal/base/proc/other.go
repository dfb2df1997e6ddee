//go:build !linux

package proc

import (
	"errors"
	"net/netip"
	"os"
	"os/exec"
)

// Unprivileged does nothing: on this system, servers do not run as processes.
func Unprivileged(*exec.Cmd, ...string) error { return nil }

// GiveAway returns the user and the group of this process.
func GiveAway(string) (user, group int, err error) { return os.Getuid(), os.Getgid(), nil }

// HideEnviron does nothing, because this system has no file with the environment of a process.
func HideEnviron() error { return nil }

// LogTo returns an error on this system.
func LogTo(string) error { return errors.ErrUnsupported }

// Mark does nothing: this system does not show the environment of a process.
func Mark(*exec.Cmd) string { return "" }

// EndMarked does nothing.
func EndMarked(string) {}

// Owner is for Linux only.
func Owner(netip.AddrPort, []int) (int, bool) { return 0, false }

// Listening is for Linux only.
func Listening(netip.AddrPort) bool { return false }

// Descendants returns nil: on this system, servers do not run as processes.
func Descendants(int) []int { return nil }
