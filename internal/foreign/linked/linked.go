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

// turn is how far the clients' locks are made from each other, so that what they draw meanwhile is
// always drawn in the same order.
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

// reset begins the streams anew. The test that it stands for is thrown away: what a test would do
// at its end, the caller of Repeatable sees to.
func reset(seed uint64) {
	cryptotest.SetGlobalRandom(&testing.T{}, seed)
	// other code draws from there, and only so it draws the same again
	mathrand.Seed(int64(seed)) //nolint:staticcheck // no other function seeds it
}

// Godebug is the value of the environment's GODEBUG with which math/rand can be seeded.
func Godebug() string { return strings.TrimPrefix(os.Getenv("GODEBUG")+",randseednop=0", ",") }
