package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine says in a line what this runs on, so that nobody compares the times of two machines; ""
// for the simulator, whose time is its own.
func machine(environment string) string {
	if environment == envSim {
		return ""
	}
	s := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := cpuModel(); model != "" {
		s += ", " + model
	}
	return s
}

// cpuModel is what Linux says of its processor; "" elsewhere.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok &&
			strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
