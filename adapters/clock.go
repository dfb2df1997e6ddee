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

// ClockOverlay is the way to move the wall clock of an adapter in Go, which asks the kernel and not
// the C library: it is built with another package time.
const ClockOverlay = "overlay"

// overlayName is the file that says what the go command reads in the place of package time.
const overlayName = "overlay.json"

// The call in time.Now that is replaced, and by what.
const (
	readsClock = "sec, nsec, mono := runtimeNow()"
	movedClock = "sec, nsec, mono := lockbenchNow()"
)

// movable makes the programs of Go that a setup builds ones whose wall clock can be moved, and
// returns the setting that does so. Of a Go whose package time is another one it returns none: the
// clock stays, and a run that wants to move it says so.
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
