package preload

import (
	"os"
	"path"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// TestLibraryOfARelease wants a machine without a compiler to use the library of a release, if that
// is of the same source and for its processor.
func TestLibraryOfARelease(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	defer func() { built = nil }()
	source := []byte("int a;")
	name, other := libraryName("step", source), libraryName("step", []byte("int b;"))
	for _, x := range []struct {
		what, file string
		found      bool
	}{
		{"of the same source", path.Join("built", runtime.GOARCH, name), true},
		{"of another source", path.Join("built", runtime.GOARCH, other), false},
		{"for another processor", path.Join("built", "other", name), false},
	} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		built = fstest.MapFS{x.file: &fstest.MapFile{Data: []byte(x.what)}}
		lib, err := Library("step", source, "stepping")
		if !x.found {
			if err == nil || !strings.Contains(err.Error(), "stepping needs a C compiler") {
				t.Errorf("%s: %v", x.what, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", x.what, err)
		}
		if got, _ := os.ReadFile(lib); string(got) != x.what {
			t.Errorf("%s: it is %q", x.what, got)
		}
	}
}
