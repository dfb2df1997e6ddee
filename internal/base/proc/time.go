package proc

import "time"

// Eventually waits for a moment until f returns true, because a process obeys a signal with a
// delay.
func Eventually(f func() bool) bool { return Await(100*time.Millisecond, 100*time.Microsecond, f) }

// Await asks every pause whether something is so. It returns false if it is not after the limit.
func Await(limit, pause time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); !done(); time.Sleep(pause) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Every calls f again and again, d apart, until end is closed or f returns false.
func Every(d time.Duration, end <-chan struct{}, f func() bool) {
	t := time.NewTicker(d)
	defer t.Stop()
	for more := true; more; {
		select {
		case <-end:
			return
		case <-t.C:
			more = f()
		}
	}
}

// Stalls calls f whenever this process did not run for a while, with the time when it ran again. It
// returns when end is closed.
func Stalls(end <-chan struct{}, f func(t int64, late time.Duration)) {
	const tick, limit = 10 * time.Millisecond, 20 * time.Millisecond
	last := Monotonic()
	Every(tick, end, func() bool {
		now := Monotonic()
		if late := time.Duration(now-last) - tick; late > limit {
			f(now, late)
		}
		last = now
		return true
	})
}
