//go:build linux

package stepped

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// timedCall describes a system call that may wait until a time. Its argument says whether it does.
type timedCall struct {
	name     string
	argument int // -1: it always does
	pointer  bool
}

// timedCalls lists such calls by their numbers. The shim makes none with a time.
var timedCalls = map[int]timedCall{
	unix.SYS_FUTEX:           {"futex", 3, true},
	unix.SYS_NANOSLEEP:       {"nanosleep", -1, false},
	unix.SYS_CLOCK_NANOSLEEP: {"clock_nanosleep", -1, false},
	unix.SYS_PPOLL:           {"ppoll", 2, true},
	unix.SYS_PSELECT6:        {"pselect6", 4, true},
	unix.SYS_EPOLL_PWAIT:     {"epoll_pwait", 3, false},
	unix.SYS_EPOLL_PWAIT2:    {"epoll_pwait2", 3, true},
	unix.SYS_RT_SIGTIMEDWAIT: {"rt_sigtimedwait", 2, true},
	unix.SYS_SEMTIMEDOP:      {"semtimedop", 3, true},
}

// waits reports whether a call with these arguments waits until a time.
func (c timedCall) waits(arguments []uint64) bool {
	switch {
	case c.argument < 0:
		return true
	case c.argument >= len(arguments):
		return false
	case c.pointer:
		return arguments[c.argument] != 0
	}
	return int32(arguments[c.argument]) > 0 // ms
}

// Every rest is examined at first, and then one of some: it costs as much as a look.
const (
	firstRests = 32
	someRests  = 16
)

// unseen returns an error if a sleeping thread waits for real time: it made a system call that the
// shim does not see. It examines some of the rests.
func (t *threads) unseen() error {
	if t.rests++; t.rests > firstRests && t.rests%someRests != 0 {
		return nil
	}
	for _, th := range t.known {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/syscall", t.pid, th.id))
		if err != nil {
			continue // the thread has ended, or the system does not say
		}
		if name := waitsIn(text); name != "" {
			comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", t.pid, th.id))
			return fmt.Errorf("its thread %s waits in %s by a system call of its own, which virtual time "+
				"does not see; use run or matrix with --adapter, on real servers",
				bytes.TrimSpace(comm), name)
		}
	}
	return nil
}

// waitsIn returns the system call in which a thread waits until a time, or "". The text is that of
// its file syscall in /proc.
func waitsIn(text []byte) string {
	words := bytes.Fields(text)
	if len(words) < 7 { // "running", or a wait outside of a call
		return ""
	}
	number, err := strconv.Atoi(string(words[0]))
	call, known := timedCalls[number]
	if err != nil || !known {
		return ""
	}
	var arguments []uint64
	for _, w := range words[1:7] {
		a, err := strconv.ParseUint(string(w), 0, 64)
		if err != nil {
			return ""
		}
		arguments = append(arguments, a)
	}
	if call.waits(arguments) {
		return call.name
	}
	return ""
}
