package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/checker/trace"
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

// observe adds to the trace the nodes' records of scripts that the lock does not declare, and of
// commands that a client library sent again. These lines follow from the nodes' files, just as the
// verdict does, and later readers can do without those files.
func (r *Run) observe() error {
	lines := append(trace.Observe(r.History.Header, r.Trace, r.Nodes),
		trace.Resent(r.Trace, r.Nodes)...)
	if len(lines) == 0 {
		return nil
	}
	at := map[[2]int]*history.Command{}
	for i := range r.Trace {
		at[[2]int{r.Trace[i].Process, r.Trace[i].Seq}] = &r.Trace[i]
	}
	var more bytes.Buffer
	out := history.NewTracer(&more)
	for _, c := range lines {
		if m := at[[2]int{c.Process, c.Seq}]; c.Again > 0 {
			m.Again = c.Again
		} else {
			m.Effects = c.Effects
		}
		if err := out.Record(c); err != nil {
			return err
		}
	}
	_, err := os.Stat(filepath.Join(r.Dir, Packed))
	if err != nil {
		return r.extend(Trace, more.Bytes())
	}
	return errors.Join(unpack(r.Dir), r.extend(Trace, more.Bytes()), Pack(r.Dir))
}

// extend adds lines to a file of the run. It adds none if a crash cut off the last line, because
// lines after that could not be read.
func (r *Run) extend(name string, lines []byte) error {
	f, err := os.OpenFile(filepath.Join(r.Dir, name), os.O_APPEND|os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Stat()
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, end.Size()-1); err != nil || last[0] != '\n' {
		return err
	}
	_, err = f.Write(lines)
	return err
}
