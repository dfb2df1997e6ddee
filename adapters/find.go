package adapters

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
)

// embedded holds the folders of this package, without names that start with _ or a dot.
//
//go:embed */*
var embedded embed.FS

// Adapter is a lock library with the files that drive it.
type Adapter struct {
	Manifest
	Dir  string // the absolute path of the user's folder; empty for lockbench's own adapters
	Hash string // of its files and of its SDKs
	// the user chose another version of the library than lockbench's own adapter has
	Other bool

	files    fs.FS
	embedded bool // it is lockbench's own, as it was read
}

// sources calls f for every source file of the adapter, in the order of their names.
func (a Adapter) sources(f func(name string, content []byte) error) error {
	for _, s := range a.Sources {
		if _, err := fs.Stat(a.files, s); err != nil {
			return fmt.Errorf("sources: %w; it names files and folders next to %s", err, ManifestName)
		}
	}
	return each(a.files, a.Sources, f)
}

// own returns the adapters of lockbench.
var own = sync.OnceValues(func() (all []Adapter, err error) {
	folders, err := embedded.ReadDir(".")
	for _, f := range folders {
		if f.Name() == sdkName || err != nil {
			continue
		}
		var files fs.FS
		if files, err = fs.Sub(embedded, f.Name()); err != nil {
			continue
		}
		var a Adapter
		if a, err = read(path.Join(f.Name(), ManifestName), files); err == nil {
			a.embedded = true
			all = append(all, a)
		}
	}
	return all, err
})

// All returns lockbench's own adapters by name. The caller may keep and change the slice.
func All() []Adapter { return slices.Clone(every()) }

func every() []Adapter {
	all, err := own()
	if err != nil {
		panic("lockbench was built with a bad adapter: " + err.Error()) // a test reads them all
	}
	return all
}

// Names lists lockbench's own adapters.
func Names() (names []string) {
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return names
}

// Find returns the adapter with this name or, if the name looks like a path (./mydir), the adapter
// in that folder. NAME@VERSION is the adapter with that version of its library. The error has one
// line.
func Find(name string) (Adapter, error) {
	if isPath(name) {
		return open(name)
	}
	if name, version, other := strings.Cut(name, "@"); other {
		a, err := Find(name)
		if err != nil {
			return a, err
		}
		return a.WithVersion(version)
	}
	for _, a := range every() {
		if a.Name == name {
			return a, nil
		}
	}
	hint := units.DidYouMean(name, Names())
	if _, err := os.Stat(filepath.Join(name, ManifestName)); hint == "" && err == nil {
		hint = fmt.Sprintf(" (for the folder write ./%s)", name)
	}
	return Adapter{}, fmt.Errorf("unknown adapter %q%s; `%s` shows all", name, hint,
		advice.ListAdapters)
}

func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) ||
		name == "." || name == ".."
}

// open reads the adapter in a user's folder.
func open(dir string) (Adapter, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Adapter{}, err
	}
	a, err := read(filepath.Join(dir, ManifestName), units.Dir(abs, maxBytes))
	a.Dir = abs
	return a, err
}

// read reads the adapter in a folder; file names its manifest in errors.
func read(file string, files fs.FS) (Adapter, error) {
	text, err := fs.ReadFile(files, ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return Adapter{}, fmt.Errorf("%s is missing; docs/adding-an-adapter.md describes it", file)
	} else if err != nil {
		return Adapter{}, err
	}
	a := Adapter{files: files}
	if a.Manifest, err = parse(file, text); err == nil {
		a.Hash, err = a.hash()
	}
	return a, err
}

// The bounds of a folder. A larger one cannot be the source of an adapter.
const (
	maxFiles = 2000
	maxBytes = 64 << 20
)

// built lists folders that build tools make. They do not count as sources.
var built = []string{"__pycache__", "node_modules", "target", "venv", "build"}

// hash returns the hash of the names and contents of all files, and of its SDKs.
func (a Adapter) hash() (string, error) {
	sum := sha256.New()
	add := func(name string, content []byte) error {
		fmt.Fprintf(sum, "%q %d\n", name, len(content))
		sum.Write(content)
		return nil
	}
	if err := errors.Join(a.sources(add), a.toolkit(add)); err != nil {
		return "", fmt.Errorf("adapter %s: %w", cmp.Or(a.Name, "?"), err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:16], nil
}

// written matches the names that lockbench itself writes into a folder with a lock: the gate file,
// and directories of runs, whose names are times. They do not count as sources, so that the hash of
// the adapter does not change.
var written = regexp.MustCompile(`^(\d{8}T\d{6}\.\d{3}Z|lockbench\.yaml)$`)

// excluded reports whether a file or folder is not part of the sources.
func excluded(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") || slices.Contains(built, base) || written.MatchString(base)
}

// selected reports whether a name is in asked, lies below such a name or leads to one. If asked is
// empty, every name is.
func selected(name string, asked []string) bool {
	return len(asked) == 0 || name == "." || name == ManifestName ||
		slices.ContainsFunc(asked, func(a string) bool {
			return name == a || strings.HasPrefix(name, a+"/") || strings.HasPrefix(a, name+"/")
		})
}

// each calls f for every source file of a folder, in the order of their names. If asked is not nil,
// it reads only these files and folders.
func each(files fs.FS, asked []string, f func(name string, content []byte) error) error {
	count, size := 0, int64(0)
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && excluded(name) || !selected(name, asked):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		}
		i, err := d.Info()
		if err != nil {
			return err
		}
		if count, size = count+1, size+i.Size(); count > maxFiles || size > maxBytes {
			return fmt.Errorf("the folder has more than %d files or %d MB; name the ones that the adapter "+
				"needs under sources in %s", maxFiles, maxBytes>>20, ManifestName)
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return f(name, content)
	})
}

// Drives describes what the adapter drives: its library, if it names one, and its files.
func (a Adapter) Drives() string {
	files := "files " + a.Hash
	if library := strings.TrimSpace(a.Library + " " + a.Version); library != "" {
		return library + ", " + files
	}
	return files
}
