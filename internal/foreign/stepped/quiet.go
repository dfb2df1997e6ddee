package stepped

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threads watches the threads of a program.
type threads struct {
	pid    int
	folder *os.File
	known  map[int]*thread
	looks  int
}

// thread is a thread with its open files in /proc.
type thread struct {
	stat, times int    // descriptors
	ran         []byte // the content of times in the look before
}

func watchThreads(pid int) (*threads, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/task", pid))
	return &threads{pid: pid, folder: f, known: map[int]*thread{}}, err
}

// busyLimit is how long a program may compute between two waits, in real time.
const busyLimit = 10 * time.Second

var errBusy = errors.New("it never comes to rest: it computes, or it waits in a loop, for more than " +
	busyLimit.String())

// settle waits until all threads sleep. That is so if two looks show the same: a thread that was
// woken in between has run for longer.
func (t *threads) settle() error {
	asleep := false
	for begin := monotonic(); ; {
		same, sleeping, err := t.look()
		if err != nil {
			return err
		}
		if sleeping && same && asleep {
			return nil
		}
		asleep = sleeping
		if !sleeping {
			unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
			if monotonic()-begin > int64(busyLimit) {
				return errBusy
			}
		}
	}
}

// look reports whether all threads sleep, and whether none has run since the look before.
func (t *threads) look() (same, sleeping bool, err error) {
	t.looks++
	ids, err := t.list()
	if err != nil {
		return false, false, err
	}
	same, sleeping = len(ids) == len(t.known), true
	for _, id := range ids {
		th := t.known[id]
		if th == nil {
			same = false
			if th = openThread(t.pid, id); th == nil {
				sleeping = false
				continue
			}
			t.known[id] = th
		}
		ran, rests := th.look()
		same, sleeping = same && !ran, sleeping && rests
		if !rests {
			return false, false, nil
		}
	}
	if len(ids) < len(t.known) {
		t.forget(ids)
	}
	return same, sleeping, nil
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
	open := func(name string) int {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/task/%d/%s", pid, id, name), unix.O_CLOEXEC, 0)
		if err != nil {
			return -1
		}
		return fd
	}
	th := &thread{stat: open("stat"), times: open("schedstat")}
	if th.stat < 0 || th.times < 0 {
		th.close()
		return nil
	}
	return th
}

func (th *thread) close() {
	for _, fd := range []int{th.stat, th.times} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// look reports whether the thread has run since the look before, and whether it sleeps. A thread
// that has ended does neither.
func (th *thread) look() (ran, rests bool) {
	var b [256]byte
	n, err := unix.Pread(th.stat, b[:], 0)
	if err != nil {
		return false, true
	}
	after := bytes.LastIndexByte(b[:n], ')')
	if after < 0 || after+2 >= n || !bytes.ContainsRune([]byte("SZXI"), rune(b[after+2])) {
		return true, false
	}
	if n, err = unix.Pread(th.times, b[:], 0); err != nil {
		return false, true
	}
	ran = !bytes.Equal(b[:n], th.ran)
	th.ran = append(th.ran[:0], b[:n]...)
	return ran, true
}

// monotonic returns real time. The package time shows the simulator's time.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}
