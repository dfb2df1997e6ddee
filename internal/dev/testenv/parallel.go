package testenv

import (
	"flag"
	"runtime"
	"strconv"
	"sync"
)

// SideBySide lets n parallel tests run at a time on a machine with fewer cores, unless -parallel is
// given, because the tests mostly wait. Call it in TestMain. More tests would disturb the times of
// tests with real servers.
func SideBySide(n int) {
	_ = flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0))))
}

// running is a lock that Run holds for writing if its function must be alone.
var running sync.RWMutex

// Run calls f, which a stall of the machine may disturb. If alone is true, it waits until no other
// call of Run in this process is under way, and lets none begin.
func Run(alone bool, f func()) {
	lock, unlock := running.RLock, running.RUnlock
	if alone {
		lock, unlock = running.Lock, running.Unlock
	}
	lock()
	defer unlock()
	f()
}
