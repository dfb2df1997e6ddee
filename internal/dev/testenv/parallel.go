package testenv

import (
	"flag"
	"runtime"
	"strconv"
)

// SideBySide lets n parallel tests run at a time where there are fewer cores, unless -parallel says
// how many: they mostly wait. It is for TestMain. More of them would disturb the times of those
// that run against real servers.
func SideBySide(n int) {
	_ = flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0))))
}
