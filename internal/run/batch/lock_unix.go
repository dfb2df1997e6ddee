//go:build !windows

package batch

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file, and returns false if another process has locked it. It returns true on a
// file system without locks.
func tryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}

func release(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
