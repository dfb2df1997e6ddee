package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/base/units"
)

// lockFile is the file that a process locks in its directory.
const lockFile = ".lock"

// Lock reserves a directory for this process, until the returned file is closed or the process ends
// in any way.
func Lock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if errors.Is(proc.Lock(f), proc.ErrLocked) { // not on a file system without locks
		return nil, errors.Join(f.Close(),
			fmt.Errorf("another lockbench is at work in %s; wait for its end, or end it", dir))
	}
	return lock{f}, nil
}

// lock is a locked file.
type lock struct{ *os.File }

// Close unlocks the file before it closes it. A child that was forked at this moment, for another
// purpose, still has the file open until it starts its own program.
func (l lock) Close() error {
	_ = proc.Unlock(l.File)
	return l.File.Close()
}

// Record is a file with a line for each finished part of a batch, so that another process can
// continue after an interruption. New lines go to its end.
type Record[T any] struct {
	*os.File
	Known []T // the lines at the time of opening
}

// recorded reads the content of a record.
func recorded(f *os.File) ([]byte, error) {
	if i, err := f.Stat(); err == nil && !i.Mode().IsRegular() {
		return nil, errors.New("it is a device or a pipe and not a file")
	}
	return units.ReadAll(f, units.MaxDocument)
}

// OpenRecord opens a record, or creates it. It removes a last line that an interruption cut off,
// because the next line would be appended to it.
func OpenRecord[T any](name string) (*Record[T], error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	r := &Record[T]{File: f}
	b, err := recorded(f)
	end := bytes.LastIndexByte(b, '\n') + 1
	if err == nil {
		r.Known, err = ReadLines[T](bytes.NewReader(b[:end]))
	}
	if err == nil {
		err = f.Truncate(int64(end))
	}
	if err == nil {
		_, err = f.Seek(int64(end), io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return r, nil
}
