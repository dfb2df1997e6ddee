//go:build linux

package stepped

import (
	_ "embed"

	"github.com/lockbench/lockbench/internal/base/preload"
)

//go:embed shim/step.c
var source []byte

func shim() (string, error) {
	return preload.Library("step", source, "a program in virtual time")
}
