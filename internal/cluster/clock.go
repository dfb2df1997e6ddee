package cluster

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed shim/clockshim.c
var shimSource []byte

// errNoCompiler says why the shim cannot be had.
var errNoCompiler = errors.New(
	"moving a server's clock needs a C compiler: `apt-get install gcc libc6-dev`")

// Shim returns the path of the compiled clock shim. It is compiled once for each version of its
// source and kept.
func Shim() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "lockbench")
	lib := filepath.Join(dir, fmt.Sprintf("clockshim-%x.so", sha256.Sum256(shimSource)))
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", errNoCompiler
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	return lib, compile(cc, tmp, lib)
}

// compile builds the shim in tmp and moves it to lib in one step: another lockbench may do the
// same.
func compile(cc, tmp, lib string) error {
	src, out := filepath.Join(tmp, "clockshim.c"), filepath.Join(tmp, "clockshim.so")
	if err := os.WriteFile(src, shimSource, 0o644); err != nil {
		return err
	}
	if msg, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", out, src,
		"-ldl").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot compile the clock shim (%w): %s", err, msg)
	}
	return os.Rename(out, lib)
}

// ServerClock is the file through which a node's clock is moved.
type ServerClock struct {
	Path     string
	faketime bool  // libfaketime reads it, not the shim
	door     *Door // behind which the file is; nil: it is one of this machine's
}

// newServerClock makes the file for a node, with the clock right.
func newServerClock(dir, node string) (*ServerClock, error) {
	c := &ServerClock{Path: filepath.Join(dir, node+".clock")}
	return c, rightClock(c.Path)
}

// rightClock makes a file for a clock that is right.
func rightClock(file string) error { return os.WriteFile(file, make([]byte, 8), 0o644) }

// set makes the clock wrong by offset. The shim's file is written in place, since the server has
// mapped it; eight aligned bytes change at once. That of libfaketime is replaced: a server that
// reads it while it is written would see no offset at all.
func (c *ServerClock) set(offset time.Duration) error {
	if c.door != nil {
		return c.door.setClock(offset)
	}
	if c.faketime {
		tmp := c.Path + ".new"
		if err := os.WriteFile(tmp, fmt.Appendf(nil, "%+.9f\n", offset.Seconds()), 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, c.Path)
	}
	f, err := os.OpenFile(c.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(offset)), 0)
	return err
}

// Environment makes a server read its clock through the shim, the library lib.
func (c *ServerClock) Environment(lib string) []string {
	return []string{"LD_PRELOAD=" + lib, "LOCKBENCH_CLOCK=" + c.Path}
}

// wind makes a process of this machine read its clock through the file: by the shim where there is
// a compiler, else by libfaketime.
func (c *ServerClock) wind() (env []string, err error) {
	lib, err := Shim()
	if err == nil {
		return c.Environment(lib), nil
	}
	preload, other := faketime()
	if other != nil {
		return nil, fmt.Errorf("%w; or libfaketime: %w", err, other)
	}
	c.faketime = true
	return faketimeEnvironment(preload, c.Path), c.set(0)
}

// ClockMeans says why the clock of a redis-server that is a process of this machine cannot be
// moved; nil: it can.
func ClockMeans() error {
	_, err := Shim()
	if err == nil {
		return nil
	}
	if _, other := faketime(); other != nil {
		return fmt.Errorf("%w; or libfaketime: %w", err, other)
	}
	return nil
}
