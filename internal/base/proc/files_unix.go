//go:build unix

package proc

import (
	"errors"
	"fmt"
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

// Owned returns the number of a file or folder in its file system. It returns an error if this user
// does not own it.
func Owned(name string) (inode uint64, err error) {
	i, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	s, ok := i.Sys().(*syscall.Stat_t)
	if !ok || int(s.Uid) != os.Getuid() {
		return 0, fmt.Errorf("%s belongs to another user", name)
	}
	return s.Ino, nil
}

// Unlock ends a lock before f is closed.
func Unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
