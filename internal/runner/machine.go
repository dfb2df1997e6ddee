package runner

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is that of the module, or "devel".
func Version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok || b.Main.Version == "" || b.Main.Version == "(devel)" {
		return "devel"
	}
	return b.Main.Version
}

// Machine says in a line what this runs on, because the times of two machines cannot be compared;
// "" for the simulator, whose time is its own.
func Machine(environment string) string {
	if environment == Sim {
		return ""
	}
	s := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if model := cpuModel(); model != "" {
		s += ", " + model
	}
	return s
}

// cpuModel is the name that Linux gives the processor; "" elsewhere.
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
