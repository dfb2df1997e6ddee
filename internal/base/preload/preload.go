// Package preload compiles libraries that are loaded into a program before the C library.
package preload

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Library returns the file of a compiled library. It compiles the source, in C, once for each
// content, and keeps the file in the user's cache. An error about a missing compiler says for what
// purpose it is needed.
func Library(name string, source []byte, purpose string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "lockbench")
	lib := filepath.Join(dir, fmt.Sprintf("%s-%x.so", name, sha256.Sum256(source)))
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", fmt.Errorf("%s needs a C compiler: `apt-get install gcc libc6-dev`", purpose)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	return lib, compile(cc, tmp, source, lib)
}

// compile builds the library in tmp and moves it to lib in one step, because another lockbench may
// do the same.
func compile(cc, tmp string, source []byte, lib string) error {
	src, out := filepath.Join(tmp, "library.c"), filepath.Join(tmp, "library.so")
	if err := os.WriteFile(src, source, 0o644); err != nil {
		return err
	}
	if said, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", out, src, "-ldl",
		"-lpthread").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot compile %s (%w): %s", filepath.Base(lib), err, said)
	}
	return os.Rename(out, lib)
}
