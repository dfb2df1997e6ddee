// Package records reads and writes the compressed records of this project's measurements.
package records

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/lockbench/lockbench/internal/run/store"
)

// suffix is the suffix of the file of a record.
const suffix = ".gz"

// Open opens a record by its name without the suffix. It returns fs.ErrNotExist if there is none.
func Open(dir fs.FS, name string) (io.ReadCloser, error) {
	f, err := dir.Open(name + suffix)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file{z, f}, nil
}

// file closes a compressed file together with its reader.
type file struct {
	*gzip.Reader
	f fs.File
}

func (x file) Close() error { return x.f.Close() }

// Write writes a record to a directory.
func Write(dir, name string, write func(io.Writer) error) error {
	return store.Write(dir, name+suffix, func(f *os.File) error {
		z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	})
}
