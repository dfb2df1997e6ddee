package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestForgetBelievesNoFileThatNamesTheSegmentOfAnother makes a segment of this process, and files
// as a PostgreSQL server leaves them.
func TestForgetBelievesNoFileThatNamesTheSegmentOfAnother(t *testing.T) {
	const key = 0x10cb
	id, err := unix.SysvShmGet(key, 4096, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		t.Skip("this machine gives no segment:", err)
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	dir, me := t.TempDir(), os.Getpid()
	left := func() bool {
		_, err := unix.SysvShmCtl(id, unix.IPC_STAT, new(unix.SysvShmDesc))
		return err == nil
	}
	write := func(process, key int) {
		text := fmt.Sprintf("%d\n%s\n%10d%10d\n", process, strings.Repeat("x\n", 4)+"x", key, id)
		if err := os.WriteFile(filepath.Join(dir, postmaster), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(1, key) // another process made it
	if Forget(dir); !left() {
		t.Fatal("the segment of another process was removed")
	}
	write(me, key+1)
	if Forget(dir); !left() {
		t.Fatal("a segment with another key was removed")
	}
	write(me, key)
	if Forget(dir); left() {
		t.Error("the server's own segment is left")
	}
}
