package adapters

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// ClockOverlay is the way to move the wall clock of an adapter in Go. Go asks the kernel, not the C
// library, so the adapter is built with a changed package time.
const ClockOverlay = "overlay"

// overlayName is the file that tells the go command to replace a file of package time.
const overlayName = "overlay.json"

// The replaced call in time.Now, and its replacement.
const (
	readsClock = "sec, nsec, mono := runtimeNow()"
	movedClock = "sec, nsec, mono := lockbenchNow()"
)

// movable changes the Go programs that a setup builds, so that their wall clock can be moved. It
// returns the setting for that. If it does not know the installed Go's package time, it returns "".
// The clock then cannot be moved, and a run that wants to move it reports this.
func (in Installed) movable(ctx context.Context) (setting string, err error) {
	if in.Clock != ClockOverlay {
		return "", nil
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("`go env GOROOT`: %w", err)
	}
	folder := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(folder, "time.go"))
	if err != nil || strings.Count(string(text), readsClock) != 1 {
		return "", err
	}
	added, err := embedded.ReadFile(path.Join(sdkName, "go", "overlay", "clock.go.txt"))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string]string{"lockbench.go": string(added),
		"time.go": strings.Replace(string(text), readsClock, movedClock, 1)} {
		replace[filepath.Join(folder, name)] = filepath.Join(in.cache, "time-"+name)
		if err := os.WriteFile(filepath.Join(in.cache, "time-"+name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(in.cache, overlayName)
	return "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" '-overlay="+file+"'"),
		os.WriteFile(file, list, fs.FileMode(0o644))
}
