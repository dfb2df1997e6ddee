package testenv

import (
	"flag"
	"runtime"
	"strconv"
)

// SideBySide lets n parallel tests run at a time on a machine with fewer cores, unless -parallel is
// given, because the tests mostly wait. Call it in TestMain. More tests would disturb the times of
// tests with real servers.
func SideBySide(n int) {
	_ = flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0))))
}
