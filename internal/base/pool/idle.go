package pool

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"
)

// Idleness reports whether the processors of this machine have time to spare, including for other
// programs. Its zero value is ready for use. Several goroutines may call its methods.
type Idleness struct {
	mu   sync.Mutex
	at   time.Time
	seen times
	read func() (times, bool) // nil for this machine
}

// times holds the idle time and the total time of all processors since the start of the machine, in
// kernel ticks (mostly of 10 ms).
type times struct{ idle, all int64 }

const (
	// Window is the interval of Idleness. It is long enough for a new item to show its load.
	Window = 30 * time.Millisecond
	// enough is the percentage of the processors' time that must be idle for Spare. With less, runs
	// stall and have to be repeated.
	enough = 15
)

// Spare reports whether enough of the machine was idle since the last call. It returns true at most
// once in a Window, so that the load of a new item shows before the next one starts. It returns
// false if the system has no /proc/stat.
func (i *Idleness) Spare() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	if !i.at.IsZero() && now.Sub(i.at) < Window {
		return false
	}
	read := i.read
	if read == nil {
		read = machineTimes
	}
	t, ok := read()
	known, idle, all := ok && !i.at.IsZero(), t.idle-i.seen.idle, t.all-i.seen.all
	i.at, i.seen = now, t
	return known && all > 0 && 100*idle >= enough*all
}

// machineTimes reads proc(5), /proc/stat: user, nice, system, idle, iowait and so on, of all
// processors since the start of the machine.
func machineTimes() (t times, ok bool) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t, false
	}
	return parseTimes(b)
}

// parseTimes reads the first line. The last two fields, of guests, are in the first two as well.
func parseTimes(stat []byte) (t times, ok bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 5 || string(fields[0]) != "cpu" {
		return t, false
	}
	for i, f := range fields[1:min(len(fields), 9)] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return t, false
		}
		t.all += n
		if i == 3 || i == 4 { // idle, and idle during a wait for a disk
			t.idle += n
		}
	}
	return t, true
}
