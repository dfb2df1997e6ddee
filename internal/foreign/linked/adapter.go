package linked

import (
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/workloads"
)

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
