// Package clock moves the wall clock of a redis-server. A library that is loaded before the C
// library reads an offset from a file and adds it to the time.
package clock

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/base/preload"
)

//go:embed shim/clockshim.c
var shimSource []byte

// Shim returns the path of the compiled clock shim.
func Shim() (string, error) {
	return preload.Library("clockshim", shimSource, "moving a server's clock")
}

// Server is the file through which a node's clock is moved.
type Server struct {
	Path string
	// Faketime says that libfaketime reads the file and not the shim.
	Faketime bool
	// Remote sets the clock if the file is on another machine, otherwise it is nil.
	Remote func(offset time.Duration) error
}

// New makes the file for a node, with the clock right.
func New(dir, node string) (*Server, error) {
	c := &Server{Path: filepath.Join(dir, node+".clock")}
	return c, c.Set(0)
}

// Set makes the clock wrong by offset. It writes the shim's file in place, since the server has
// mapped it, and eight aligned bytes change at once. It replaces the file of libfaketime, since a
// server that reads a half-written file would see no offset at all.
func (c *Server) Set(offset time.Duration) error {
	if c.Remote != nil {
		return c.Remote(offset)
	}
	if c.Faketime {
		tmp := c.Path + ".new"
		if err := os.WriteFile(tmp, fmt.Appendf(nil, "%+.9f\n", offset.Seconds()), 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, c.Path)
	}
	f, err := os.OpenFile(c.Path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(offset)), 0); err != nil {
		return err
	}
	return f.Truncate(8) // it goes on, if it was stopped
}

// Stop stops the clock. It returns an error for libfaketime and for containers.
func (c *Server) Stop() error {
	if c.Remote != nil || c.Faketime {
		return errors.New("only a server that reads its clock through the shim can have it stopped")
	}
	f, err := os.OpenFile(c.Path, os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	var offset [8]byte
	if _, err := f.ReadAt(offset[:], 0); err != nil {
		return err
	}
	at := time.Now().UnixNano() + int64(binary.NativeEndian.Uint64(offset[:]))
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(at)), int64(len(offset)))
	return err
}

// Environment makes a server read its clock through the shim, the library lib.
func (c *Server) Environment(lib string) []string {
	return append(c.Built(), "LD_PRELOAD="+lib)
}

// Built is Environment for a program that was built to read the file itself.
func (c *Server) Built() []string { return []string{"LOCKBENCH_CLOCK=" + c.Path} }
