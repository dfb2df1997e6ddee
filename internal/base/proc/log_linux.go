package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// LogTo redirects the standard error of this process to the end of an existing file, including Go's
// output of a panic.
func LogTo(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Dup3(int(f.Fd()), 2, 0)
}
