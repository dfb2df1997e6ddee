// Package memory finds a folder in this machine's memory, and removes shared memory that killed
// servers leave behind.
package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lockbench/lockbench/internal/base/units"
	"golang.org/x/sys/unix"
)

// shared is the file system in memory of Linux. Every user may write to it.
const shared = "/dev/shm"

// room is the least free space in it, in bytes. A database takes up to 100 MB, and some thirty runs
// go on at once.
const room = 4 << 30

// Folder returns a folder in memory with room for many runs, or "" if there is none.
func Folder() string {
	var s unix.Statfs_t
	if err := unix.Statfs(shared, &s); err != nil || s.Type != unix.TMPFS_MAGIC ||
		s.Bavail*uint64(s.Bsize) < room || unix.Access(shared, unix.W_OK) != nil {
		return ""
	}
	return shared
}

// postmaster is the file with the number of PostgreSQL's segment of System V shared memory. A
// killed server leaves the segment behind, and Linux allows 4,096 of them.
const postmaster = "postmaster.pid"

// Forget removes the segment that a killed PostgreSQL with this folder has left, if there is one. A
// server that comes back makes another. The file could name any segment of the machine. So Forget
// asks the kernel whether the server's process and user made this segment, with this key. The
// server's children may still use it while they end.
func Forget(dir string) {
	left, ok := segment(filepath.Join(dir, postmaster))
	if !ok {
		return
	}
	var d unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(left.id, unix.IPC_STAT, &d); err == nil && left.made(d) {
		_, _ = unix.SysvShmCtl(left.id, unix.IPC_RMID, nil) // if it is still there
	}
}

// leftover describes a segment and its maker by the content of postmaster.pid.
type leftover struct {
	user, process uint32
	key           int32
	id            int
}

// made reports whether the kernel's description of a segment matches the leftover.
func (l leftover) made(d unix.SysvShmDesc) bool {
	return d.Perm.Key == l.key && d.Perm.Cuid == l.user && d.Cpid == int32(l.process)
}

// segment reads the first line of the file, the number of the process, and the seventh: the key
// and the number of a segment. ok is false if it has none.
func segment(file string) (l leftover, ok bool) {
	owner, err := os.Lstat(file)
	if err != nil {
		return l, false
	}
	text, err := units.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 7 {
		return l, false
	}
	var word uint64 // a C int, of a long without a sign
	_, bad := fmt.Sscan(lines[0]+" "+lines[6], &l.process, &word, &l.id)
	l.user, l.key = owner.Sys().(*syscall.Stat_t).Uid, int32(word)
	return l, bad == nil
}
