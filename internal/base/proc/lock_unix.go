//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the lock of a file or a directory; ErrLocked: another open file has it. It ends when f
// is closed, also by the end of this process, and children do not inherit it. Other than the number
// of a process, it means the same in every container that sees the file.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
