package proc

import "time"

// Stalls calls f whenever this process did not run for a while, with the time when it ran again. It
// returns when end is closed.
func Stalls(end <-chan struct{}, f func(t int64, late time.Duration)) {
	const tick, limit = 10 * time.Millisecond, 20 * time.Millisecond
	t := time.NewTicker(tick)
	defer t.Stop()
	for last := Monotonic(); ; {
		select {
		case <-end:
			return
		case <-t.C:
		}
		now := Monotonic()
		if late := time.Duration(now-last) - tick; late > limit {
			f(now, late)
		}
		last = now
	}
}
