package server

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/env/cluster/memory"
)

// ScratchPrefix names the temporary folders of runs, with a number behind it: lockbench-4711-….
// The number is the process ID, for people. It does not prove that the process lives: another
// container may use the same number.
const ScratchPrefix = "lockbench-"

// Folder is where a run's nodes live. The process that made it holds a lock of it as long as both
// are there.
type Folder struct {
	Path string
	held *os.File
}

// Home is where the folders of runs are made: TMPDIR, if it is set, or in memory, where that has
// room, or the system's temporary folder. What a server has written outlives the server in each of
// them, and no fault stops the machine.
func Home() string { return cmp.Or(os.Getenv("TMPDIR"), memory.Folder(), os.TempDir()) }

// Scratch makes the folder of a run. It is marked last: a sweep removes nothing before that, and
// then the lock is taken.
func Scratch() (*Folder, error) {
	dir, err := os.MkdirTemp(Home(), ScratchPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	// servers of another user live below it
	err = f.Chmod(0o711)
	// a system without file locks never sweeps
	if locked := proc.Lock(f); err == nil && !errors.Is(locked, errors.ErrUnsupported) {
		err = locked
	}
	if err == nil {
		err = mark(dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.RemoveAll(dir))
	}
	return &Folder{dir, f}, nil
}

// Vanished is an error if the folder is not there any more, or another is in its place: what the
// nodes kept in it was removed by another program.
func (f *Folder) Vanished() error {
	made, err := f.held.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(f.Path); err != nil || !os.SameFile(made, now) {
		return fmt.Errorf("the directory of the nodes, %s, was removed by another program", f.Path)
	}
	return nil
}

// Close removes the folder.
func (f *Folder) Close() error {
	if f == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(f.Path), f.held.Close())
}

// Sweep removes the temporary folders of killed runs, which hold no lock any more. It returns how
// many. Every start does it. A folder is
// removed only if this user owns it and lockbench has marked it.
func Sweep() (n int) {
	for _, home := range slices.Compact([]string{Home(), os.TempDir()}) {
		dirs, _ := filepath.Glob(filepath.Join(home, ScratchPrefix+"*-*"))
		for _, d := range dirs {
			if marked(d) && sweep(d) {
				n++
			}
		}
	}
	return n
}

// sweep removes a folder, unless it is locked.
func sweep(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	if proc.Lock(f) != nil {
		return false
	}
	sweepFaketime(dir)
	nodes, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, n := range nodes {
		memory.Forget(n)
	}
	return os.RemoveAll(dir) == nil
}

// markName is the name of a file. Sweep recognizes a folder of Scratch by it.
const markName = ".lockbench-scratch"

// markText is the content of the mark of a folder. It names the folder by its number in the file
// system, so that a copy of the folder is not marked.
func markText(dir string) (string, error) {
	inode, err := proc.Owned(dir)
	return fmt.Sprintf("lockbench removes this folder, %d, when its run is over.\n", inode), err
}

func mark(dir string) error {
	text, err := markText(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, markName), []byte(text), 0o600)
}

// marked reports whether this user owns a folder and its mark, and lockbench wrote the mark.
func marked(dir string) bool {
	file := filepath.Join(dir, markName)
	want, err := markText(dir)
	if err != nil {
		return false
	}
	if _, err := proc.Owned(file); err != nil {
		return false
	}
	got, err := units.ReadFile(file)
	return err == nil && string(got) == want
}
