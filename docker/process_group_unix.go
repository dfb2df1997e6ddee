//go:build unix

package docker

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a process a group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
