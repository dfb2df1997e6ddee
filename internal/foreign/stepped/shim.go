//go:build linux

package stepped

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed shim/step.c
var source []byte

var errNoCompiler = errors.New("the search of an adapter needs a C compiler: " +
	"`apt-get install gcc libc6-dev`")

// shim returns the file of the compiled shim. It is compiled once for each version of its source.
func shim() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "lockbench")
	lib := filepath.Join(dir, fmt.Sprintf("step-%x.so", sha256.Sum256(source)))
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", errNoCompiler
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	src, out := filepath.Join(tmp, "step.c"), filepath.Join(tmp, "step.so")
	if err := os.WriteFile(src, source, 0o644); err != nil {
		return "", err
	}
	if said, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", out, src,
		"-ldl", "-lpthread").CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot compile the shim of virtual time (%w): %s", err, said)
	}
	return lib, os.Rename(out, lib)
}
