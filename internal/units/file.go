package units

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxFile is how many bytes ReadFile reads of a file.
const MaxFile = 16 << 20

// ReadFile reads a file that a user names. A device or a pipe, which may have no end, and a file of
// more than MaxFile bytes are refused. The error names the file.
func ReadFile(name string) ([]byte, error) {
	b, err := read(name)
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return b, nil
}

func read(name string) ([]byte, error) {
	i, err := os.Stat(name) // to open a pipe would wait for its writer
	switch {
	case err != nil:
		return nil, err
	case i.IsDir():
		return nil, errors.New("it is a directory")
	case !i.Mode().IsRegular():
		return nil, errors.New("it is a device or a pipe and not a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(b) > MaxFile {
		err = fmt.Errorf("it is too long; at most %d MB are read", MaxFile>>20)
	}
	return b, err
}
