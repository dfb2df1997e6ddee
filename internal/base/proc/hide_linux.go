package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// envStart is the column of /proc/self/stat, counted after the name, with the address of the
// environment (proc(5)). The name may contain spaces.
const envStart = 50 - 3

// HideEnviron overwrites, in the environment that this process was started with, the settings that
// a child would not get. Other processes of the same user see that environment in
// /proc/PID/environ. This process keeps its own copy.
func HideEnviron() error {
	start, err := environStart()
	if err != nil {
		return err
	}
	settings, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return err
	}
	for rest := settings; len(rest) > 0; {
		setting, after, _ := bytes.Cut(rest, []byte{0})
		if name, _, _ := bytes.Cut(setting, []byte("=")); !inherits(string(name)) {
			clear(setting)
		}
		rest = after
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.WriteAt(settings, start)
	return err
}

// environStart returns the address of the environment that this process was started with.
func environStart() (int64, error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	words := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(words) <= envStart {
		return 0, errors.New("the kernel does not say where the environment is")
	}
	return strconv.ParseInt(string(words[envStart]), 10, 64)
}
