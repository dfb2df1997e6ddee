package proc

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Mark marks a child in its environment. EndMarked finds the mark in all descendants, even in
// sessions of their own.
func Mark(c *exec.Cmd) (mark string) {
	mark = "LOCKBENCH_CHILD=" + rand.Text()
	c.Env = append(c.Env, mark)
	return mark
}

// EndMarked ends all processes that have a mark. They may start others until they are dead, so it
// looks again until it finds none.
func EndMarked(mark string) {
	const rounds = 10
	for range rounds {
		left := marked(mark)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return
		}
	}
}

// marked returns the processes that have a mark. A dead one has no environment.
func marked(mark string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, _ := os.ReadFile(f)
		if !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Descendants returns the children of a process and their descendants. The children of a database
// lead process groups of their own.
func Descendants(pid int) (all []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, l := range lists {
		text, _ := os.ReadFile(l)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(append(all, child), Descendants(child)...)
			}
		}
	}
	return all
}
