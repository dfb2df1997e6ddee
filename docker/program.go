package docker

import (
	"fmt"
	"os"
	"runtime"

	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go"
)

// programEnv names a lockbench for the containers of a daemon that is on another kind of machine
// than this one.
const programEnv = "LOCKBENCH_LINUX"

const (
	// mounted is where this program, or the one that programEnv names, is in a container.
	mounted = "/lockbench"
	// builtIn is where an image may have one of its own.
	builtIn = "/usr/local/lib/lockbench/lockbench"
)

// program makes a container one that runs lockbench: the one that LOCKBENCH_LINUX names, else this
// one if it is for the daemon's machine, else the image's own.
func (l *Launcher) program() ([]testcontainers.ContainerCustomizer, error) {
	file := os.Getenv(programEnv)
	if _, err := os.Stat(file); file != "" && err != nil {
		return nil, fmt.Errorf("%s must name a lockbench for Linux: %w", programEnv, err)
	}
	if file == "" && runtime.GOOS == "linux" && runtime.GOARCH == l.daemon.arch {
		var err error
		if file, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	if file == "" {
		return []testcontainers.ContainerCustomizer{entrypoint(builtIn)}, nil
	}
	return []testcontainers.ContainerCustomizer{l.mount(file, mounted), entrypoint(mounted)}, nil
}

// entrypoint runs a program as root, so that it may use files that others share.
func entrypoint(program string) testcontainers.ContainerCustomizer {
	return testcontainers.WithConfigModifier(func(m *container.Config) {
		m.Entrypoint,
			m.User = []string{program}, "0"
	})
}

// suits says what to do about a program that does not run in an image.
func (l *Launcher) suits(err error) error {
	return fmt.Errorf(
		"the proxies need lockbench, and it does not run in image %s (%s): build one for it by "+
			"`GOOS=linux GOARCH=%s CGO_ENABLED=0 go build -o lockbench-linux ./cmd/lockbench` and set "+
			"%s=lockbench-linux",
		l.image.name, oneLine(err), l.daemon.arch, programEnv)
}
