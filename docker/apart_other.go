//go:build !unix

package docker

import "os/exec"

// apart has nothing to do where there are no process groups.
func apart(*exec.Cmd) {}
