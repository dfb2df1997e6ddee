//go:build linux

package stepped

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"golang.org/x/sys/unix"
)

// threads watches the threads of a program.
type threads struct {
	pid       int
	processor int // their processor, or -1 for any
	page      *page
	folder    *os.File
	known     []*thread
	rests     int
}

// thread is a thread with its open file in /proc.
type thread struct{ id, stat int }

func watchThreads(pid, processor int, p *page) (*threads, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/task", pid))
	return &threads{pid: pid, processor: processor, page: p, folder: f}, err
}

// move makes threads that sleep run on another processor.
func (t *threads) move(processor int) {
	if processor == t.processor || t.list() != nil {
		return
	}
	t.processor = processor
	for _, th := range t.known {
		_ = move(th.id, processor)
	}
}

// busyLimit is how much processor time a program may use between two waits, and restLimit how long
// that may take on a busy machine.
const (
	busyLimit = 5 * time.Second
	restLimit = 2 * time.Minute
	// childLimit is how long a program may wait for another program that it has started.
	childLimit = 10 * time.Second
)

var errChild = fmt.Errorf("it starts another program that does not end in %v, and only one can be "+
	"stepped", childLimit)

var errBusy = errors.New("it never comes to rest: it computes, or it waits in a loop, for more " +
	"than " + busyLimit.String())

var errStalled = fmt.Errorf("it did not come to rest in %v: the machine is too busy", restLimit)

// settle waits until all threads sleep. That is so if one after the other does, and the program has
// used no processor time meanwhile: only its own threads wake each other.
func (t *threads) settle() error { return processors().on(t.processor, t.await) }

func (t *threads) await() error {
	begin, used := proc.Monotonic(), t.used()
	for looks, ran := 1, used; ; looks++ {
		before := t.used()
		if before == ran {
			asleep, err := t.allSleep()
			if err != nil {
				return err
			}
			if asleep && t.used() == before {
				return t.unseen()
			}
		}
		ran = before
		if looks < quickLooks {
			_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
			continue
		}
		proc.Nap()
		switch {
		case t.used()-used > int64(busyLimit):
			return errBusy
		case proc.Monotonic()-begin > int64(childLimit) && t.waits():
			return errChild
		case proc.Monotonic()-begin > int64(restLimit):
			return errStalled
		}
	}
}

// quickLooks is how many looks follow each other without a pause.
const quickLooks = 50

// used returns the processor time of the program.
func (t *threads) used() int64 {
	var at unix.Timespec
	const scheduled = 2 // the clock of a process (clock_getcpuclockid(3))
	_ = unix.ClockGettime(int32(^t.pid<<3|scheduled), &at)
	return at.Nano()
}

// allSleep reports whether each thread sleeps when it is looked at. The one that did not comes
// first at the next look.
func (t *threads) allSleep() (bool, error) {
	var folder unix.Stat_t
	if err := unix.Fstat(int(t.folder.Fd()), &folder); err != nil {
		return false, err
	}
	const own = 2 // links of a folder without threads
	if int(folder.Nlink)-own != len(t.known) {
		return false, t.list()
	}
	for i, th := range t.known {
		switch sleeps, err := th.sleeps(); {
		case err != nil: // it has ended, and there is a new one
			return false, t.list()
		case !sleeps, t.mayHaveChildren() && t.children(th.id):
			t.known[0], t.known[i] = th, t.known[0]
			return false, nil
		}
	}
	return true, nil
}

// mayHaveChildren reports whether the program may have started another. The shim says so, if it is
// loaded into the other one too and has begun to run there. A program that starts may start others
// without the shim.
func (t *threads) mayHaveChildren() bool {
	return t.page.parent.Load() != 0 || t.rests < firstRests
}

// waits reports whether a thread has started a process that has not ended.
func (t *threads) waits() bool {
	return slices.ContainsFunc(t.known, func(th *thread) bool { return t.children(th.id) })
}

// children reports whether a thread has started a process that has not ended.
func (t *threads) children(id int) bool {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", t.pid, id))
	return err == nil && len(bytes.TrimSpace(all)) > 0
}

// list finds the threads of the program anew.
func (t *threads) list() error {
	t.forget()
	if _, err := t.folder.Seek(0, 0); err != nil {
		return err
	}
	names, err := t.folder.Readdirnames(-1)
	for _, name := range names {
		id, _ := strconv.Atoi(name)
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/task/%d/stat", t.pid, id), unix.O_CLOEXEC, 0)
		if err == nil { // else the thread has ended
			t.known = append(t.known, &thread{id, fd})
		}
	}
	return err
}

// forget closes the files of the threads.
func (t *threads) forget() {
	for _, th := range t.known {
		unix.Close(th.stat)
	}
	t.known = nil
}

func (t *threads) close() {
	t.forget()
	t.folder.Close()
}

// sleeps reports whether the thread sleeps. It returns an error if the thread has ended.
func (th *thread) sleeps() (bool, error) {
	var b [64]byte
	n, err := unix.Pread(th.stat, b[:], 0)
	after := bytes.LastIndexByte(b[:max(n, 0)], ')')
	return after >= 0 && after+2 < n && bytes.IndexByte([]byte("SZXI"), b[after+2]) >= 0, err
}
