package proc

import (
	"bytes"
	"fmt"
	"os"
)

// Idle reports whether no thread of a process has anything to do.
func Idle(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	threads, err := os.ReadDir(dir)
	if err != nil {
		return true // it is gone
	}
	for _, t := range threads {
		if b, err := os.ReadFile(dir + t.Name() + "/stat"); err == nil && !waits(b) {
			return false
		}
	}
	return true
}

// waits reports whether a thread sleeps, is stopped or is gone. The state follows the name, which
// has parentheses around it (proc(5)).
func waits(stat []byte) bool {
	i := bytes.LastIndexByte(stat, ')')
	return i < 0 || len(stat) < i+3 || bytes.IndexByte([]byte("STtZX"), stat[i+2]) >= 0
}
