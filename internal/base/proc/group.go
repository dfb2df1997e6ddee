//go:build linux || darwin

package proc

import (
	"errors"
	"syscall"
)

// KillGroup ends the process group that a child leads, stopped or not.
func KillGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// StopGroup stops the group, until ResumeGroup.
func StopGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGSTOP) }

// ResumeGroup continues the group.
func ResumeGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGCONT) }

// IsGone reports whether no process has this number.
func IsGone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
