package workloads

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// The workloads: the work of a client while it is inside.
const (
	Mutex = "mutex" // hold the lock for a while
	// read the guarded number, hold, write it back plus one: a lost update shows
	Counter   = "counter"
	Reentrant = "reentrant" // acquire twice more, release as often, and work at every depth
	Multi     = "multi"     // hold two locks at once
	LongWork  = "longwork"  // hold for two leases
	Fenced    = "fenced"    // as counter, each read and write with the fencing token
	// as counter, each read and write in the transaction that is the hold
	Transaction = "transaction"
	Heed        = "heed"   // as longwork, and leave at once when told that the hold is over
	Extend      = "extend" // as longwork, and extend the lease each third of it
)

// Workload is a row of the table of workloads.
type Workload struct {
	Name string                  `json:"name"`
	Line string                  `json:"line"` // a description in one line
	Keys int                     `json:"-"`    // the minimum number of keys
	need func(impls.Entry) error // returns an error if a lock cannot do it
}

// nestings is the number of nested acquires in the reentrant workload, multiKeys the number of
// locks that the multi workload takes at once.
const (
	nestings  = 2
	multiKeys = 2
)

var table = []Workload{
	{Name: Mutex, Line: "hold the lock for a while", Keys: 1, need: pessimistic(Mutex)},
	{Name: Counter, Line: "read a guarded number, hold, write it back plus one", Keys: 1},
	{Name: Reentrant, Line: "acquire twice more, release as often, and work at every depth", Keys: 1,
		need: func(e impls.Entry) error {
			return suits(e.Reentrant, e, Reentrant, "lets no client in twice", "--impl redisson")
		}},
	{Name: Multi, Line: "hold two locks at once", Keys: multiKeys, need: func(e impls.Entry) error {
		return suits(e.Multi, e, Multi, "takes one key at a time", "--impl redisson-multi")
	}},
	{Name: LongWork, Line: "hold the lock for two leases", Keys: 1, need: pessimistic(LongWork)},
	{Name: Fenced, Line: "as counter, with the fencing token; a write with an older one is refused",
		Keys: 1, need: func(e impls.Entry) error {
			return suits(e.Fencing, e, Fenced, "gives no fencing token", "--impl redisson-fenced")
		}},
	{Name: Transaction, Line: "as counter, in the transaction that holds the lock", Keys: 1,
		need: func(e impls.Entry) error {
			return suits(e.Transaction, e, Transaction, "holds by no transaction",
				"--adapter postgres --variant row")
		}},
	{Name: Heed, Line: "as longwork, and leave at once when the lock says that the hold is over",
		Keys: 1, need: heeds},
	{Name: Extend, Line: "as longwork, and extend the lease each third of it", Keys: 1,
		need: func(e impls.Entry) error {
			return suits(e.Extends, e, Extend, "cannot extend its lease", "--impl redlock")
		}},
}

func suits(can bool, e impls.Entry, workload, lacks, better string) error {
	if can {
		return nil
	}
	return fmt.Errorf("the workload %s does not suit %s, which %s; use %s, or --workload mutex",
		workload, e.Name, lacks, better)
}

// heeds returns an error for locks that never report a loss unasked.
func heeds(e impls.Entry) error {
	if e.Loss {
		return nil
	}
	return fmt.Errorf("the workload %s does not suit %s, which never tells its holder that the hold "+
		"is over; use --workload %s", Heed, e.Name, LongWork)
}

// pessimistic refuses locks that keep no client out: only a workload with writes can test them.
func pessimistic(workload string) func(impls.Entry) error {
	return func(e impls.Entry) error {
		if !e.Optimistic {
			return nil
		}
		return fmt.Errorf("the workload %s does not suit %s, which keeps no client out and checks what "+
			"they write; use --workload %s", workload, e.Name, Counter)
	}
}

// Usual returns the default workload of a lock.
func Usual(e impls.Entry) string {
	if e.Optimistic {
		return Counter
	}
	return Mutex
}

// All returns the table of workloads. The caller may keep and change the slice.
func All() []Workload { return append([]Workload(nil), table...) }

// Names lists the workloads.
func Names() []string {
	var names []string
	for _, w := range table {
		names = append(names, w.Name)
	}
	return names
}

// Suits returns an error in one line if a lock, or a number of keys, does not suit a workload. The
// error says what to do.
func Suits(e impls.Entry, workload string, keys int) error {
	for _, w := range table {
		switch {
		case w.Name != workload:
			continue
		case keys < w.Keys:
			return fmt.Errorf("the workload %s needs %d keys or more; use --keys %d", workload, w.Keys,
				w.Keys)
		case w.need == nil:
			return nil
		}
		return w.need(e)
	}
	return fmt.Errorf("unknown workload %q; there are: %s", workload, strings.Join(Names(), ", "))
}

// acquires returns the number of acquire calls in a cycle. Each has a number of its own.
func acquires(body string) int {
	if body == Reentrant {
		return 1 + nestings
	}
	return 1
}

// inside is the critical section. It runs in the client's own process, so that a fault that hits
// the process hits it too.
func (w *Worker) inside(until context.Context, l RemoteLock, o Order, g Granted) {
	stay, leave := w.enter(until)
	defer leave()
	switch o.Body {
	case Counter, Transaction:
		w.count(stay, l, o, 0)
	case Fenced:
		w.count(stay, l, o, g.Fence)
	case Reentrant:
		w.nest(stay, l, o, 0)
	case Extend:
		w.keep(stay, l, o, g)
	default:
		_ = w.env.Sleep(stay, o.Hold.D())
	}
}

// count reads, holds and writes.
func (w *Worker) count(stay context.Context, l RemoteLock, o Order, token int64) {
	read, ok := w.guarded.access(l, history.ReadOp, o, 0, token)
	if !ok {
		return
	}
	_ = w.env.Sleep(stay, o.Hold.D())
	w.guarded.access(l, history.WriteOp, o, read+1, token)
}

// keep holds, and extends the lease each third of it, until an extension is refused.
func (w *Worker) keep(stay context.Context, l RemoteLock, o Order, g Granted) {
	for left := o.Hold.D(); left > 0; {
		part := min(left, max(w.cfg.TTL.D(), g.Lease)/3)
		if left -= part; part <= 0 || w.env.Sleep(stay, part) != nil {
			return
		}
		var err error
		if g, err = w.extend(l, o, g); errors.Is(err, impls.ErrNotOwner) || errors.Is(err, ErrGone) {
			return
		}
	}
}

// nest works at each depth, once on the way in and once on the way out, for equal shares of the
// hold. So if an inner release frees the lock, another client can enter while this one still works.
// It releases each grant, and acquires no more once the client must leave.
func (w *Worker) nest(stay context.Context, l RemoteLock, o Order, depth int) {
	work := o.Hold.D() / (2*nestings + 1)
	if depth == nestings {
		_ = w.env.Sleep(stay, o.Hold.D()-2*nestings*work)
		return
	}
	if w.env.Sleep(stay, work) != nil {
		return
	}
	g, err := w.acquire(l, o, depth+1)
	w.nest(stay, l, o, depth+1)
	if err == nil {
		_ = w.release(l, o, g, depth+1) // the outermost release decides on the pause
	}
	_ = w.env.Sleep(stay, work)
}
