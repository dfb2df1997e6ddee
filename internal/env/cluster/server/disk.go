package server

import "strings"

// diskErrors are lower-case phrases that a server prints if it cannot write to its disk.
var diskErrors = []string{
	// what the kernel answers, in the output of any server
	"no space left on device", "disk quota exceeded", "file too large", "read-only file system",
	"input/output error",
	// Redis
	"writing to the aof file", "fsync the aof file", "for fsync error", "write error saving db",
	"error moving temp db file", "opening the temp rdb file", "background saving error",
	"can't save in background", "aof rewrite terminated with error",
	"can't rewrite append only file",
	// PostgreSQL and MariaDB
	"could not write to file", "could not write block", "could not extend file",
	"could not fsync file", "error writing file", "innodb: write to file",
	// etcd
	"database space exceeded", "alarm raised",
}

// cannotWrite reports whether a line of a server's output says that it cannot write to its disk.
func cannotWrite(line string) bool {
	line = strings.ToLower(line)
	for _, words := range diskErrors {
		if strings.Contains(line, words) {
			return true
		}
	}
	return false
}

// listen looks for what a line of the server's output says beyond its own kind.
func (l *Life) listen(line string) {
	if l.CannotWrite != nil && cannotWrite(line) {
		l.full.Do(func() { l.CannotWrite(line) })
	}
	if l.Said != nil {
		l.Said(line)
	}
}
