package cluster

import (
	"os"
	"path/filepath"
	"strconv"
)

// scratchPrefix names the temporary folders of runs, with the process that owns each behind it:
// lockbench-4711-….
const scratchPrefix = "lockbench-"

// scratch makes the folder in which a run's nodes live.
func scratch() (string, error) {
	return os.MkdirTemp("", scratchPrefix+strconv.Itoa(os.Getpid())+"-")
}

// Sweep removes the temporary folders of runs whose process is gone: it was killed before it could.
// It returns how many. Every start does it.
func Sweep() (n int) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*-*"))
	for _, d := range dirs {
		if pid := owner(d); pid > 0 && gone(pid) {
			sweepFaketime(d)
			os.RemoveAll(d)
			n++
		}
	}
	return n
}

// owner reads the process number out of a folder's name; 0 if it has none.
func owner(dir string) int {
	name := filepath.Base(dir)[len(scratchPrefix):]
	for i, c := range name {
		if c == '-' {
			pid, _ := strconv.Atoi(name[:i])
			return pid
		}
	}
	return 0
}
