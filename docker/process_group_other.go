//go:build !unix

package docker

import "os/exec"

// ownGroup does nothing on systems without process groups.
func ownGroup(*exec.Cmd) {}
