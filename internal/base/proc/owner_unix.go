//go:build unix

package proc

import (
	"fmt"
	"os"
	"syscall"
)

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
