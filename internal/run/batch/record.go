package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// EmptyDir makes a directory, or takes an empty one, and locks it as Lock does. Errors name the
// flag.
func EmptyDir(dir, flag string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	_, err := os.Stat(filepath.Join(dir, lockFile))
	if locked := err == nil; !locked { // do not write into a foreign directory
		if err := empty(dir, flag); err != nil {
			return nil, err
		}
	}
	lock, err := Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if err := empty(dir, flag); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// empty returns an error if a directory has other files than Lock's.
func empty(dir, flag string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			return fmt.Errorf("%s %s is not empty; empty it, or name another directory",
				flag, dir)
		}
	}
	return nil
}

// GatherRuns copies the runs of shards into the directory of the whole. It returns an error if a
// file exists already.
func GatherRuns(out string, shards []string) error {
	to := filepath.Join(out, "runs")
	for _, d := range shards {
		from := filepath.Join(d, "runs")
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue // a shard without runs
		}
		err := os.MkdirAll(to, 0o755)
		if err == nil {
			err = os.CopyFS(to, os.DirFS(from))
		}
		if err != nil {
			return fmt.Errorf("the runs of %s: %w", d, err)
		}
	}
	return nil
}
