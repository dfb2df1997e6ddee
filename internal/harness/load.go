package harness

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// The loads of runs with random faults.
var (
	// whole, odd and below a second
	leases = []time.Duration{time.Second, 2 * time.Second, 700 * time.Millisecond,
		1300 * time.Millisecond, 2700 * time.Millisecond}
	crowds = []int{2, 3, 4, 4, 4, 8, 8, 24}
)

// mostPrograms is the largest drawn number of clients that are programs of an adapter: some take
// 200 MB each.
const mostPrograms = 8

// DrawsLoad reports whether a run's load is drawn together with its faults.
func (o RunOptions) DrawsLoad() bool {
	name, _, _ := strings.Cut(o.Nemesis, ":")
	return name == "random" && !o.Documented && !o.ownLease()
}

// ownLease reports whether a library has a lease of its own, which may be long.
func (o RunOptions) ownLease() bool {
	if o.Adapter == "" && o.Linked == nil {
		return false
	}
	a, err := manifestOf(o)
	if err != nil {
		return false // NewPlan reports the error
	}
	u, err := a.Use(o.Variant)
	return err == nil && u.OwnLease
}

// drawLoad draws the options of a load that the user did not set: the lease, the clients, how long
// they hold and think and wait, and what they do inside. The same seed draws the same. Only a lock
// that renews or extends its lease is held beyond it.
func (o *RunOptions) drawLoad(lock impls.Entry) {
	r := rand.New(rand.NewPCG(o.Seed, 0x10ad))
	ttl, clients, load, work := draw(r, leases), draw(r, crowds), r.IntN(8), r.Uint64()
	if o.Adapter != "" && o.Environment != "sim" {
		clients = min(clients, mostPrograms)
	}
	crowd, mixed := cmp.Or(o.Clients, clients), load == 5 && o.TTL == 0 && lock.Lease && !lock.Fixed &&
		ttl >= time.Second
	o.TTL = cmp.Or(o.TTL, ttl)
	lease := cmp.Or(lock.Defaults(o.TTL).TTL, o.TTL)
	switch long := lease * 9 / 20; load {
	case 0:
		o.Hold = cmp.Or(o.Hold, shortHold)
	case 1: // longer than a renewal
		o.Hold = cmp.Or(o.Hold, long)
	case 2: // the clients are away for so long that their leases would be over
		o.Hold, o.Think, crowd = cmp.Or(o.Hold, long), cmp.Or(o.Think, lease*6/5), max(crowd, 4)
	case 3: // calls give up
		o.AcquireTimeout = cmp.Or(o.AcquireTimeout, cmp.Or(o.Hold, minHold)/2)
	case 4:
		all := o.works(lock)
		o.Workload = cmp.Or(o.Workload, all[work%uint64(len(all))])
	case 5:
		if mixed {
			o.mixLeases(lock)
		}
	}
	o.Clients = cmp.Or(o.Clients, crowd)
}

// mixLeases gives every other client a quarter of the lease, as in a rolling update. A lock that
// renews is held for longer than that.
func (o *RunOptions) mixLeases(lock impls.Entry) {
	o.Leases = history.Durations{history.Duration(o.TTL), history.Duration(o.TTL / 4)}
	if lock.Watchdog && !o.NoWatchdog {
		o.Hold = cmp.Or(o.Hold, o.TTL*2/5)
	}
}

func draw[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// works returns the workloads that a lock declares.
func (o *RunOptions) works(lock impls.Entry) []string {
	all := []string{workloads.Usual(lock)}
	beyond := map[string]bool{workloads.LongWork: true, workloads.Heed: true}
	for _, w := range workloads.All() {
		if o.Keys > 0 && o.Keys < w.Keys || beyond[w.Name] && (!lock.Watchdog || o.NoWatchdog) {
			continue
		}
		if workloads.Suits(lock, w.Name, w.Keys) == nil && w.Name != workloads.Counter &&
			w.Name != workloads.Transaction {
			all = append(all, w.Name)
		}
	}
	return all
}
