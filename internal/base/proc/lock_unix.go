//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks a file or a directory. It returns ErrLocked if another open file has the lock. The
// lock ends when f is closed or this process ends, and children do not inherit it. Unlike the
// number of a process, it means the same in every container that sees the file.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
