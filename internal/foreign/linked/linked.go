// Package linked makes runs repeatable whose lock is code of another author: such code draws random
// numbers where it likes.
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

// Repeatable makes a linkage whose every run draws the same random numbers of crypto/rand, and of
// the top level of math/rand. It needs Godebug
// as GODEBUG, a test, or a program that testing.Testing takes for one, and one run at a time: both
// sources are the process' own.
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

// Godebug is the value of the environment's GODEBUG with which math/rand can be seeded.
func Godebug() string { return strings.TrimPrefix(os.Getenv("GODEBUG")+",randseednop=0", ",") }
