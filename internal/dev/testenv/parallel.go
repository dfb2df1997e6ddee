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

// running is held for writing by what runs alone.
var running sync.RWMutex

// Run calls f, which a stall of the machine may disturb: alone among the calls of Run in this
// process, or beside others.
func Run(alone bool, f func()) {
	lock, unlock := running.RLock, running.RUnlock
	if alone {
		lock, unlock = running.Lock, running.Unlock
	}
	lock()
	defer unlock()
	f()
}
