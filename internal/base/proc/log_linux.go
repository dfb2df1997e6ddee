package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// LogTo makes what this process writes on standard error go to the end of a file, which exists:
// also what Go writes there when the process panics.
func LogTo(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Dup3(int(f.Fd()), 2, 0)
}
