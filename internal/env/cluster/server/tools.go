package server

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/proc"
)

// Tools run the programs that come with a server where the server runs. A program is named by a
// shell pattern for its path, and the last match counts. If nothing matches, PATH is searched for
// its last part.
type Tools interface {
	// Edition is a name for a file, which tells a program from others that do the same.
	Edition(program string) (name string, err error)
	// Fill has a program fill a folder of this machine, as a user without rights. Args are its
	// arguments, for the place that the folder has for it.
	Fill(folder, program string, args func(folder string) []string) error
	// Ask runs a program where the server runs and returns its output without surrounding space.
	Ask(program string, args ...string) (said string, err error)
}

// Programs returns the server's tools: its launcher's or, without any, this machine's.
func (c NodeConfig) Programs() Tools {
	if c.Tools == nil {
		return here{}
	}
	return c.Tools
}

// FindProgram is the path of a program of this machine, by a pattern as Tools have it.
func FindProgram(pattern string) (path string, err error) {
	if strings.Contains(pattern, "/") {
		if all, _ := filepath.Glob(pattern); len(all) > 0 {
			return slices.MaxFunc(all, func(a, b string) int { // 15 comes after 9
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
			}), nil
		}
	}
	return exec.LookPath(filepath.Base(pattern))
}

// here are the programs of this machine.
type here struct{}

// Edition implements Tools.
func (here) Edition(program string) (string, error) {
	path, err := FindProgram(program)
	return strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "-"), err
}

// Fill implements Tools. The folders above must be open to all.
func (here) Fill(folder, program string, args func(folder string) []string) error {
	path, err := FindProgram(program)
	if err != nil {
		return err
	}
	c := exec.Command(path, args(folder)...)
	if err := proc.Unprivileged(c, folder); err != nil {
		return err
	}
	c.Dir, c.Env = filepath.Dir(folder), proc.Environ()
	said, err := c.CombinedOutput()
	return Failed(program, string(said), err)
}

// Ask implements Tools.
func (here) Ask(program string, args ...string) (string, error) {
	path, err := FindProgram(program)
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	return strings.TrimSpace(string(out)), Failed(program, string(out), err)
}

// Failed returns the error of a program of Tools with its output, or nil if err is nil.
func Failed(program, said string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %.300s", filepath.Base(program), err, said)
}

// Furnish makes the folder of a server, with all that it finds there when it starts, and returns
// the arguments of its program.
func Furnish(c NodeConfig) (args []string, err error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	if p, ok := c.kind().(Preparer); ok {
		if err := p.Prepare(c); err != nil {
			return nil, fmt.Errorf("%s %s cannot be prepared: %w", c.kind().Name(), c.Name, err)
		}
	}
	file := filepath.Join(c.Dir, "server.conf")
	args, text := c.Command(file)
	if text != "" {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	return args, err
}

// HandOver gives the folder of a server to the user that will run it. It returns the numeric user
// and group: this process's or, if that is root, an unprivileged one.
func HandOver(c NodeConfig) (user, group int, err error) { return proc.GiveAway(c.Dir) }
