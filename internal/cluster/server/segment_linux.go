package server

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// postmaster is the file in which PostgreSQL names its segment of System V's shared memory. A
// server that is killed leaves the segment behind, and Linux has 4,096 of them.
const postmaster = "postmaster.pid"

// forgetSegment removes the segment that a killed server with this folder has left, if there is
// one. A server that comes back makes another.
func forgetSegment(dir string) {
	key, id, ok := segment(filepath.Join(dir, postmaster))
	if !ok {
		return
	}
	var d unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err == nil && int64(d.Perm.Key) == key {
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) // if it is still there
	}
}

// segment reads the seventh line of the file: the key and the number of a segment. ok is false if
// it has none.
func segment(file string) (key int64, id int, ok bool) {
	text, err := os.ReadFile(file)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 7 {
		return 0, 0, false
	}
	words := strings.Fields(lines[6])
	if len(words) != 2 {
		return 0, 0, false
	}
	key, bad := strconv.ParseInt(words[0], 10, 64)
	id, err = strconv.Atoi(words[1])
	return key, id, bad == nil && err == nil
}
