// Package preload compiles libraries that are loaded into a program before the C library.
package preload

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
)

// built has the compiled libraries of a release, in a folder for each GOARCH. It is nil in other
// builds.
var built fs.FS

// Library returns the file of a compiled library. It compiles the source, in C, once for each
// content, and keeps the file in the user's cache. Without a compiler it takes the library that the
// release brings along. If there is none, the error says for what purpose a compiler is needed.
func Library(name string, source []byte, purpose string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "lockbench")
	lib := filepath.Join(dir, libraryName(name, source))
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	make := func(tmp string) error { return unpack(tmp, lib) }
	cc, err := exec.LookPath("cc")
	switch {
	case err == nil:
		make = func(tmp string) error { return compile(cc, tmp, source, lib) }
	case !isBuilt(lib):
		return "", fmt.Errorf("%s needs a C compiler: `apt-get install gcc libc6-dev`, or a release of "+
			"lockbench for linux/amd64, which needs none", purpose)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	return lib, make(tmp)
}

func libraryName(name string, source []byte) string {
	return fmt.Sprintf("%s-%x.so", name, sha256.Sum256(source))
}

// inRelease returns the name of a library's file in a release.
func inRelease(lib string) string { return path.Join("built", runtime.GOARCH, filepath.Base(lib)) }

// isBuilt reports whether this release brings a library along.
func isBuilt(lib string) bool {
	if built == nil {
		return false
	}
	_, err := fs.Stat(built, inRelease(lib))
	return err == nil
}

// unpack writes a library of the release to lib. Like compile, it does so in one step.
func unpack(tmp, lib string) error {
	content, err := fs.ReadFile(built, inRelease(lib))
	if err != nil {
		return err
	}
	out := filepath.Join(tmp, "library.so")
	if err := os.WriteFile(out, content, 0o755); err != nil {
		return err
	}
	return os.Rename(out, lib)
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
