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

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/harness"
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

// Adapter is an adapter in Go that is linked into this program.
type Adapter struct {
	Hash string // of its files
	// Open makes the locks of a variant with these options. If the library reports after one try that
	// the lock is taken, the client tries again after poll.
	Open    func(options map[string]adapters.Option, poll time.Duration) workloads.OpenLinked
	Program bool // see workloads.Linkage
}

// Program is the adapter that this program was built with, or nil.
var Program *Adapter

// Use links the adapter's lock as the lock of the plan. Only one plan's lock can be linked at a
// time.
func (a *Adapter) Use(p harness.Plan) {
	to := workloads.Linkage{Open: a.Open(p.Adapter.Options, p.Poll.D())}
	if p.Declares().Lease {
		to.Lease = p.TTL.D()
	}
	if pattern := p.Adapter.Key; pattern != "" {
		to.Key = func(name string) string { return strings.ReplaceAll(pattern, "{key}", name) }
	}
	if to.Program = a.Program; !a.Program {
		to = Repeatable(to)
	}
	workloads.Link(p.Impl, to)
}
