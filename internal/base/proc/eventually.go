package proc

import "time"

// Eventually waits for a moment until f returns true, because a process obeys a signal with a
// delay.
func Eventually(f func() bool) bool {
	for limit := time.Now().Add(100 * time.Millisecond); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(limit) {
			return false
		}
	}
	return true
}
