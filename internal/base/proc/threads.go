package proc

import (
	"bytes"
	"fmt"
	"os"
)

// Idle reports whether all threads of a process wait.
func Idle(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	threads, err := os.ReadDir(dir)
	if err != nil {
		return true // the process has ended
	}
	for _, t := range threads {
		if b, err := os.ReadFile(dir + t.Name() + "/stat"); err == nil && !waits(b) {
			return false
		}
	}
	return true
}

// waits reports whether a thread sleeps, is stopped or has ended. In the file, the state follows
// the name in parentheses (proc(5)).
func waits(stat []byte) bool {
	i := bytes.LastIndexByte(stat, ')')
	return i < 0 || len(stat) < i+3 || bytes.IndexByte([]byte("STtZX"), stat[i+2]) >= 0
}
