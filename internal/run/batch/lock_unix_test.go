//go:build unix

package batch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestALockIsGivenBackAtOnce also while a child that is about to become another program has the
// file open.
func TestALockIsGivenBackAtOnce(t *testing.T) {
	dir := t.TempDir()
	first, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(first.(lock).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	if _, err := Lock(dir); err == nil {
		t.Error("two have the lock")
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err != nil {
		t.Error(err)
	}
}
