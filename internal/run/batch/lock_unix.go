//go:build !windows

package batch

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a file, unless another process has it. A file system that has no locks
// keeps no process out.
func tryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}

func release(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
