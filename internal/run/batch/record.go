package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/base/units"
)

// lockFile is what a process locks in the directory that it works in.
const lockFile = ".lock"

// Lock makes this process the only one that works in a directory, until the returned file is closed
// or the process ends, however it ends.
func Lock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if !tryLock(f) {
		return nil, errors.Join(f.Close(),
			fmt.Errorf("another lockbench is at work in %s; wait for its end, or end it", dir))
	}
	return lock{f}, nil
}

// lock is a file that this process has locked.
type lock struct{ *os.File }

// Close gives the lock back at once: a child that was forked at this moment, for another purpose,
// has the file open until it is another program.
func (l lock) Close() error {
	release(l.File)
	return l.File.Close()
}

// Record is a file with a line for each part of a batch that is over, so that another process can
// go on after an interruption. What is written goes to its end.
type Record[T any] struct {
	*os.File
	Known []T // the lines that were there when it was opened
}

// recorded is what a record has so far.
func recorded(f *os.File) ([]byte, error) {
	if i, err := f.Stat(); err == nil && !i.Mode().IsRegular() {
		return nil, errors.New("it is a device or a pipe and not a file")
	}
	return units.ReadAll(f, units.MaxDocument)
}

// OpenRecord opens a record, or makes it. A last line that was cut off by an interruption is taken
// away: the next one would go on with it, and neither could be read.
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
