package units

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyRegularFilesOfBoundedSizeAreRead tries what a directory from elsewhere may hold, also
// behind a symbolic link.
func TestOnlyRegularFilesOfBoundedSizeAreRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if out, err := exec.Command("mkfifo", in("pipe")).CombinedOutput(); err != nil {
		t.Skipf("no pipe: %s", out)
	}
	err := errors.Join(os.Mkdir(in("folder"), 0o755), os.WriteFile(in("long"), nil, 0o644),
		os.Truncate(in("long"), 9<<30), os.WriteFile(in("good"), []byte("good"), 0o644),
		os.Symlink("/dev/zero", in("device")))
	for _, name := range []string{"pipe", "long", "good"} {
		err = errors.Join(err, os.Symlink(in(name), in("to-"+name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	files := Dir(dir, MaxDocument)
	for name, why := range map[string]string{
		"pipe": "it is a device or a pipe", "to-pipe": "it is a device or a pipe",
		"device": "it is a device or a pipe", "long": "it is too long; at most",
		"to-long": "it is too long; at most", "folder": "it is a directory",
	} {
		if _, err := ReadFile(in(name)); !errors.Is(err, ErrUnfit) ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("%s: ReadFile says %v", name, err)
		}
		if name == "folder" {
			continue
		}
		if _, err := fs.ReadFile(files, name); !errors.Is(err, ErrUnfit) ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("%s: the folder says %v", name, err)
		}
	}
	for _, name := range []string{"good", "to-good"} {
		b, err := ReadFile(in(name))
		c, other := fs.ReadFile(files, name)
		if err != nil || other != nil || string(b) != "good" || string(c) != "good" {
			t.Errorf("%s: %q %v, %q %v", name, b, err, c, other)
		}
	}
	if _, err := ReadFile(in("none")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnfit) {
		t.Errorf("a file that is not there: %v", err)
	}
}
