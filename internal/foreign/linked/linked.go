// Package linked makes runs with another author's lock repeatable, although such code may draw
// random numbers anywhere.
package linked

import (
	mathrand "math/rand"
	"os"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// turn is the interval between the creation of two clients' locks. It fixes the order of their
// random draws.
const turn = time.Microsecond

// Repeatable returns a linkage whose every run draws the same random numbers from crypto/rand and
// from the top level of math/rand. It needs Godebug as GODEBUG. It also needs a test, or a program
// that testing.Testing takes for one. Only one run can go on at a time, because both sources belong
// to the process.
func Repeatable(to workloads.Linkage) workloads.Linkage {
	open := to.Open
	to.Open = func(c workloads.LinkedClient) (workloads.LinkedLock, error) {
		time.Sleep(time.Duration(c.Process) * turn)
		if c.Process == 0 {
			reset(c.Seed)
		}
		return open(c)
	}
	return to
}

// reset restarts the random streams. SetGlobalRandom needs a test, whose cleanup never runs; the
// caller of Repeatable cleans up instead.
func reset(seed uint64) {
	cryptotest.SetGlobalRandom(&testing.T{}, seed)
	// other code draws from math/rand, which repeats only if it is seeded
	mathrand.Seed(int64(seed)) //nolint:staticcheck // no other function seeds it
}

// Godebug returns a value of GODEBUG that allows seeding math/rand.
func Godebug() string { return strings.TrimPrefix(os.Getenv("GODEBUG")+",randseednop=0", ",") }
