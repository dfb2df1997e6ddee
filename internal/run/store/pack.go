package store

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// Packed is the compressed trace of a run. A run has it or Trace.
const Packed = Trace + ".gz"

// Pack compresses the trace of a run, to about a tenth. It removes the trace only when the
// compressed one is complete. Without a trace it does nothing.
func Pack(dir string) error {
	plain := filepath.Join(dir, Trace)
	f, err := os.Open(plain)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	err = Write(dir, Packed, func(w *os.File) error {
		z := gzip.NewWriter(w)
		_, err := io.Copy(z, f)
		return errors.Join(err, z.Close())
	})
	if err != nil {
		return err
	}
	return os.Remove(plain)
}

// unpack undoes Pack.
func unpack(dir string) error {
	packed := filepath.Join(dir, Packed)
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	err = Write(dir, Trace, func(w *os.File) error {
		_, err := io.Copy(w, z)
		return err
	})
	if err != nil {
		return err
	}
	return os.Remove(packed)
}

// trace reads the trace of a run, compressed or not. It only serves the story, so the readable part
// is enough.
func (r *Run) trace(records units.Regular) error {
	read := func(f io.Reader) { r.Trace, _ = history.ReadTrace(f) }
	err := with(records, Packed, func(f fs.File) {
		if z, err := gzip.NewReader(f); err == nil {
			read(io.LimitReader(z, records.Most))
		}
	})
	return errors.Join(err, with(records, Trace, func(f fs.File) { read(f) }))
}
