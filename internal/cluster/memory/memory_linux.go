// Package memory is about what processes share in this machine's memory: a folder there, and what
// killed servers leave behind.
package memory

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
// one. A server that comes back makes another.
func Forget(dir string) {
	key, id, ok := segment(filepath.Join(dir, postmaster))
	if !ok {
		return
	}
	var d unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err == nil && d.Perm.Key == key {
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) // if it is still there
	}
}

// segment reads the seventh line of the file: the key and the number of a segment. ok is false if
// it has none.
func segment(file string) (key int32, id int, ok bool) {
	text, err := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 7 {
		return 0, 0, false
	}
	words := strings.Fields(lines[6])
	if len(words) != 2 {
		return 0, 0, false
	}
	word, bad := strconv.ParseUint(words[0], 10, 64) // a C int, of a long without a sign
	id, err = strconv.Atoi(words[1])
	return int32(word), id, bad == nil && err == nil
}
