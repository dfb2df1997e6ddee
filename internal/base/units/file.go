package units

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The most bytes that are read from a file.
const (
	MaxFile     = 16 << 20  // of a file that a person writes
	MaxDocument = 256 << 20 // of a document that lockbench writes
	MaxRecord   = 8 << 30   // of a record, read line by line
)

// BOM is a mark with which some editors start a text in UTF-8. It has no meaning.
const BOM = "\xef\xbb\xbf"

// ErrUnfit reports that a file is not read, because it is not a regular file or is too long.
var ErrUnfit = errors.New("it is not read")

// unfit is the reason.
type unfit struct{ error }

// Is reports whether the target is ErrUnfit.
func (unfit) Is(target error) bool { return target == ErrUnfit }

// fits returns an error unless a file is regular and has at most so many bytes. A device or a pipe
// may have no end, and a reader would wait for the writer of a pipe.
func fits(i fs.FileInfo, most int64) error {
	switch {
	case i.IsDir():
		return unfit{errors.New("it is a directory")}
	case !i.Mode().IsRegular():
		return unfit{errors.New("it is a device or a pipe and not a file")}
	case i.Size() > most:
		return tooLong(most)
	}
	return nil
}

func tooLong(most int64) error {
	if most < 1<<30 {
		return unfit{fmt.Errorf("it is too long; at most %d MB are read", most>>20)}
	}
	return unfit{fmt.Errorf("it is too long; at most %d GB are read", most>>30)}
}

// ReadFile reads a user's file of at most MaxFile bytes. Errors name the file.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name, MaxFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := ReadAll(f, MaxFile)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return b, nil
}

// Open opens a regular file of at most the given size. Errors name the file.
func Open(name string, most int64) (*os.File, error) {
	i, err := os.Stat(name) // before opening, because opening a device may have an effect
	if err == nil {
		err = fits(i, most)
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0) // it may have become a pipe meanwhile
	return fitting(f, name, most, err)
}

// fitting returns an open file if it is regular and short enough. Otherwise it closes the file.
func fitting(f *os.File, name string, most int64, err error) (*os.File, error) {
	if err != nil {
		return nil, unreadable(name, err)
	}
	i, err := f.Stat()
	if err == nil {
		err = fits(i, most)
	}
	if err != nil {
		f.Close()
		return nil, unreadable(name, err)
	}
	return f, nil
}

// unreadable returns an error that names its file once.
func unreadable(name string, err error) error {
	return fmt.Errorf("cannot read %s: %w", name, pathless(err))
}

// ReadAll reads r to its end. It returns an error if that is more than most bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, tooLong(most)
	}
	return b, err
}

// Regular is a file system that opens directories and regular files of at most Most bytes, and no
// others.
type Regular struct {
	fs.FS
	Most int64
}

// Dir returns the directory of this name as a Regular.
func Dir(name string, most int64) Regular { return Regular{os.DirFS(name), most} }

// Open implements fs.FS. It looks at the file first: opening a pipe would wait for its writer.
func (r Regular) Open(name string) (fs.File, error) {
	i, err := fs.Stat(r.FS, name)
	if err == nil && !i.IsDir() {
		err = fits(i, r.Most)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: pathless(err)}
	}
	return r.FS.Open(name)
}

// Stat implements fs.StatFS, of every file.
func (r Regular) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }

func pathless(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// CheckFormat returns an error if a document has another format than this lockbench reads. A
// document whose format is 0 names none.
func CheckFormat(has, reads int) error {
	switch has {
	case reads:
		return nil
	case 0:
		return fmt.Errorf("it has no format; this lockbench reads format %d", reads)
	}
	return fmt.Errorf("it has format %d; this lockbench reads format %d", has, reads)
}
