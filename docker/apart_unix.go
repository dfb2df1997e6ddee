//go:build unix

package docker

import (
	"os/exec"
	"syscall"
)

// apart gives a process a group of its own.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
