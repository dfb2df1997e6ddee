package runner

import (
	"bufio"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// released is the version of a release. Its build sets it (.goreleaser.yaml).
var released string

// Version returns the version of this build.
func Version() string { return ThisBuild().Version }

// Build describes the sources of a lockbench.
type Build struct {
	Version string `json:"version"`          // differs between any two builds
	Commit  string `json:"commit,omitempty"` // "" if Go did not record it
	Dirty   bool   `json:"dirty,omitempty"`  // the checkout had uncommitted changes
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// ThisBuild returns the description of this program.
var ThisBuild = sync.OnceValue(func() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, digest)
})

// buildOf reads Go's description of a build. The version comes from the module, or else the commit,
// or else a digest of the program. There is no commit outside of a checkout or for uncommitted
// changes.
func buildOf(info *debug.BuildInfo, digest func() string) Build {
	b := Build{Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	v := info.Main.Version
	switch {
	case released != "":
		b.Version = released
	case v != "" && v != "(devel)" && !b.Dirty:
		b.Version = v
	case b.Commit != "" && !b.Dirty:
		b.Version = "commit-" + short(b.Commit)
	case b.Commit != "":
		b.Version = "commit-" + short(b.Commit) + "-changed-" + short(digest())
	default:
		b.Version = "devel-" + short(digest())
	}
	return b
}

// short returns the part of a hash that people can compare.
func short(hash string) string { return hash[:min(len(hash), 12)] }

// digest identifies this program. It returns the SHA-256 of the build ID that the Go command writes
// into an ELF file. For a program without one it hashes the whole file, and it returns "" if it
// cannot read the file.
func digest() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if e, err := elf.NewFile(f); err == nil { // hashing all of it would take 40 ms
		if note := e.Section(".note.go.buildid"); note != nil {
			if id, err := note.Data(); err == nil {
				h.Write(id)
				return hex.EncodeToString(h.Sum(nil))
			}
		}
	}
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Machine describes this machine in a line, because the times of two machines cannot be compared.
// It returns "" for the simulator, whose time is virtual.
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

// cpuModel returns Linux' name of the processor, or "" on other systems.
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
