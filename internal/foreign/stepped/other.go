//go:build !linux

// Package stepped runs the locks of adapters in the simulator, on Linux.
package stepped

import (
	"errors"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/foreign/linked"
)

// Program returns an error: the shim is for Linux.
func Program(adapters.Installed) (*linked.Adapter, error) {
	return nil, errors.New("programs run in virtual time on Linux only; use run or matrix with " +
		"--adapter, on real servers")
}
