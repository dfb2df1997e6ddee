//go:build !linux

package proc

import (
	"os"
	"os/exec"
)

// Unprivileged does nothing: on this system, servers do not run as processes.
func Unprivileged(*exec.Cmd, ...string) error { return nil }

// GiveAway returns the user and the group of this process.
func GiveAway(string) (user, group int, err error) { return os.Getuid(), os.Getgid(), nil }
