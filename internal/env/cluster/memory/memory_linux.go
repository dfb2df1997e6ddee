// Package memory is about what processes share in this machine's memory: a folder there, and what
// killed servers leave behind.
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

// shared is where Linux has a file system in memory that every user may write to.
const shared = "/dev/shm"

// room is what must be free of it: a database takes up to 100 MB, and some thirty runs go at once.
const room = 4 << 30

// Folder is a folder in memory with room for many runs; "": there is none.
func Folder() string {
	var s unix.Statfs_t
	if err := unix.Statfs(shared, &s); err != nil || s.Type != unix.TMPFS_MAGIC ||
		s.Bavail*uint64(s.Bsize) < room || unix.Access(shared, unix.W_OK) != nil {
		return ""
	}
	return shared
}

// postmaster is the file in which PostgreSQL names its segment of System V's shared memory. A
// server that is killed leaves the segment behind, and Linux has 4,096 of them.
const postmaster = "postmaster.pid"

// Forget removes the segment that a killed PostgreSQL with this folder has left, if there is
// one. A server that comes back makes another. The file can name any segment of the machine, so
// that the kernel must confirm it: the server's process and its user made this segment, and it has
// the key. The server's children may still use it while they end.
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

// leftover is what postmaster.pid says of a segment and of who made it.
type leftover struct {
	user, process uint32
	key           int32
	id            int
}

// made reports whether the kernel's description of a segment is that of the leftover.
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
