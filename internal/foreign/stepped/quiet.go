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
	pid    int
	page   *page
	folder *os.File
	known  map[int]*thread
	rests  int
}

// thread is a thread with its open file in /proc.
type thread struct{ stat int }

func watchThreads(pid int, p *page) (*threads, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/task", pid))
	return &threads{pid: pid, page: p, folder: f, known: map[int]*thread{}}, err
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
func (t *threads) settle() error {
	begin, used := proc.Monotonic(), t.used()
	for looks, ran := 1, used; ; looks++ {
		before := t.used()
		if before == ran {
			asleep, err := t.asleep()
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

// asleep reports whether each thread sleeps when it is looked at.
func (t *threads) asleep() (bool, error) {
	ids, err := t.list()
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		th := t.known[id]
		if th == nil {
			if th = openThread(t.pid, id); th == nil {
				return false, nil
			}
			t.known[id] = th
		}
		if !th.sleeps() || t.mayHaveChildren() && t.children(id) {
			return false, nil
		}
	}
	if len(ids) < len(t.known) {
		t.forget(ids)
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
	for id := range t.known {
		if t.children(id) {
			return true
		}
	}
	return false
}

// children reports whether a thread has started a process that has not ended.
func (t *threads) children(id int) bool {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", t.pid, id))
	return err == nil && len(bytes.TrimSpace(all)) > 0
}

// list returns the numbers of the threads.
func (t *threads) list() (ids []int, err error) {
	if _, err := t.folder.Seek(0, 0); err != nil {
		return nil, err
	}
	names, err := t.folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if id, err := strconv.Atoi(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// forget closes the files of threads that have ended.
func (t *threads) forget(alive []int) {
	for id, th := range t.known {
		if !slices.Contains(alive, id) {
			th.close()
			delete(t.known, id)
		}
	}
}

func (t *threads) close() {
	t.forget(nil)
	t.folder.Close()
}

// openThread returns nil if the thread has ended.
func openThread(pid, id int) *thread {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/task/%d/stat", pid, id), unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &thread{fd}
}

func (th *thread) close() { unix.Close(th.stat) }

// sleeps reports whether the thread sleeps or has ended.
func (th *thread) sleeps() bool {
	var b [64]byte
	n, err := unix.Pread(th.stat, b[:], 0)
	if err != nil {
		return true
	}
	after := bytes.LastIndexByte(b[:n], ')')
	return after >= 0 && after+2 < n && bytes.IndexByte([]byte("SZXI"), b[after+2]) >= 0
}
