package server

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Life follows a server from its first output to its end. It is what all servers have in common,
// wherever they run: a launcher makes one for each server, feeds it and ends it.
type Life struct {
	NodeConfig
	Patience time.Duration // how long the start may take

	log   *os.File
	ready chan struct{} // closed when it accepts connections and, as a replica, has its first copy
	done  chan struct{} // closed when it is gone
	err   error         // why, after done
	once  sync.Once
	full  sync.Once // it has said that it cannot write to its disk
	last  string    // the last thing that it said
}

// SlowError is the error of a start that took too long. Nothing has to be changed for the next try.
type SlowError struct{ Err error }

func (e SlowError) Error() string {
	return e.Err.Error() + "; the machine may have been busy: try again"
}

// Unwrap returns the error without the advice.
func (e SlowError) Unwrap() error { return e.Err }

// Patience bounds the start of a process; 30 ms is usual.
const Patience = 5 * time.Second

// NewLife opens the server's log.
func NewLife(c NodeConfig) (*Life, error) {
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644) // a node may come back
	if err != nil {
		return nil, err
	}
	return &Life{NodeConfig: c, Patience: Patience, log: log, ready: make(chan struct{}),
		done: make(chan struct{})}, nil
}

// Follow copies the server's output to its log until it ends, and learns from it when the server is
// ready: nothing needs to poll. A line of more than 64 kB counts as several.
func (l *Life) Follow(out io.Reader) {
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		part, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := string(part)
		fmt.Fprintln(l.log, line)
		if l.kind().SaysReady(l.NodeConfig, line) {
			l.once.Do(func() { close(l.ready) })
		}
		l.listen(line)
		if strings.TrimSpace(line) != "" {
			l.last = line
		}
	}
}

// End says that the server is gone, and why. It is called once, after Follow has returned.
func (l *Life) End(why any) {
	l.log.Close()
	l.err = fmt.Errorf("%s %s ended (%v)", l.kind().Name(), l.Name, why)
	if l.last != "" {
		l.err = fmt.Errorf("%w; its last line: %s", l.err, l.last)
	}
	close(l.done)
}

// Ready, Done and Err implement Server.
func (l *Life) Ready() error {
	t := time.NewTimer(l.Patience)
	defer t.Stop()
	select {
	case <-l.ready:
		return nil
	case <-l.done:
		return l.err
	case <-t.C:
		return SlowError{fmt.Errorf("%s %s is not ready after %v; see %s", l.kind().Name(), l.Name,
			l.Patience, filepath.Base(l.Log))}
	}
}

func (l *Life) Done() <-chan struct{} { return l.done }
func (l *Life) Err() error            { return l.err }

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
