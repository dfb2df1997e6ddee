package server

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/lockbench/lockbench/internal/cluster/proc"
)

// ScratchPrefix names the temporary folders of runs, with the process that owns each behind it:
// lockbench-4711-….
const ScratchPrefix = "lockbench-"

// Scratch makes the folder in which a run's nodes live.
func Scratch() (string, error) {
	return os.MkdirTemp("", ScratchPrefix+strconv.Itoa(os.Getpid())+"-")
}

// Sweep removes the temporary folders of runs whose process is gone: it was killed before it could.
// It returns how many. Every start does it.
func Sweep() (n int) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), ScratchPrefix+"*-*"))
	for _, d := range dirs {
		if pid := owner(d); pid > 0 && proc.Gone(pid) {
			sweepFaketime(d)
			os.RemoveAll(d)
			n++
		}
	}
	return n
}

// owner reads the process number out of a folder's name; 0 if it has none.
func owner(dir string) int {
	name := filepath.Base(dir)[len(ScratchPrefix):]
	for i, c := range name {
		if c == '-' {
			pid, _ := strconv.Atoi(name[:i])
			return pid
		}
	}
	return 0
}
