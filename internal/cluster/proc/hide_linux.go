package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// Columns of /proc/self/stat behind the name, in which spaces may be (proc(5)): where the
// environment of the start begins and ends in memory.
const (
	envStart = 50 - 3
	envEnd   = 51 - 3
)

// HideEnviron overwrites the environment that this process was started with, where other processes
// of the same user see it: /proc/PID/environ. This process keeps its own copy.
func HideEnviron() error {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	words := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(words) <= envEnd {
		return errors.New("the kernel does not say where the environment is")
	}
	begin, err := strconv.ParseInt(string(words[envStart]), 10, 64)
	end, other := strconv.ParseInt(string(words[envEnd]), 10, 64)
	if err = errors.Join(err, other); err != nil || end <= begin {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.WriteAt(make([]byte, end-begin), begin)
	return err
}
