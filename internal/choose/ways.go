package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
)

// Way is a changed query for users whose query no lock meets, with the locks that meet it.
type Way struct {
	What    string `json:"what"`
	Command string `json:"command"`
	// without the locks that can stay taken, or have other defects of their own
	Locks   []string `json:"locks,omitempty"`
	Closest *Choice  `json:"closest,omitempty"` // set if there are no such locks
	query   Query
	without bool // it drops a demand, which is worth telling only if locks remain then
}

// others lists the alternatives to a failover to a replica that lags behind.
var others = []struct{ fault, what string }{
	{"leader-loss", "servers whose members agree on every write, as etcd and ZooKeeper, elect " +
		"none that lacks a confirmed one; the loss of their leader is the fault to try on them"},
	{"minority-loss", "independent masters without replicas do not fail over; a minority of them " +
		"may die, and one that restarts must have its data or stay away for a lease"},
}

// WaysOut returns changed queries to try if no lock meets the query: those that some locks meet, or
// else the two that come closest.
func WaysOut(q Query) (ways []Way, err error) {
	for _, w := range changed(q) {
		all, err := Choose(w.query)
		if err != nil {
			return nil, err
		}
		w.Command = w.query.Command()
		for _, c := range all {
			if c.Remains && c.quality.level == sound {
				w.Locks = append(w.Locks, c.Lock)
			}
		}
		if len(w.Locks) == 0 && w.without {
			continue
		}
		if len(w.Locks) == 0 && len(all) > 0 {
			w.Closest = &Closest(all, 1)[0]
		}
		ways = append(ways, w)
	}
	if slices.ContainsFunc(ways, Way.leads) {
		return slices.DeleteFunc(ways, func(w Way) bool { return !w.leads() }), nil
	}
	slices.SortStableFunc(ways, func(a, b Way) int { return cmp.Compare(a.against(), b.against()) })
	return ways[:min(len(ways), mostClosest)], nil
}

// mostClosest is the number of ways to name if none leads to a lock.
const mostClosest = 2

// against counts the reasons against the lock that comes closest. A way without any comes last.
func (w Way) against() int {
	if w.Closest == nil {
		return math.MaxInt
	}
	return len(w.Closest.Against)
}

// leads reports whether locks meet the changed query.
func (w Way) leads() bool { return len(w.Locks) > 0 }

// changed returns the queries to try instead of one that no lock meets, without their locks.
func changed(q Query) (ways []Way) {
	add := func(q Query, what string) {
		ways = append(ways, Way{What: what, query: q})
	}
	drop := func(without Query, what string) {
		ways = append(ways, Way{What: what, query: without, without: true})
	}
	if q.Told {
		without := q
		without.Told = false
		drop(without, "without --told: a holder may work on after its hold is over")
	}
	if q.NoOutage {
		without := q
		without.NoOutage = false
		drop(without, "without --no-outage: clients may have to wait while the fault lasts")
	}
	const fenced = "a resource that refuses old tokens (fencing) takes no write of an old holder"
	if i := slices.Index(q.Faults, "failover"); i >= 0 {
		for _, o := range others {
			instead := q
			instead.Faults = slices.Clone(q.Faults)
			instead.Faults[i] = o.fault
			add(instead, o.what)
			if o.fault == others[0].fault && !q.Fencing {
				instead.Fencing = true
				add(instead, "servers whose members agree on every write, and a resource that refuses "+
					"old tokens")
			}
		}
	}
	if !q.Fencing {
		q.Fencing = true
		add(q, fenced)
	}
	return ways
}

// Command returns the command line of the query.
func (q Query) Command() string {
	out := advice.Verb("choose")
	if len(q.Faults) > 0 {
		out += " --fault " + strings.Join(q.Faults, ",")
	}
	for _, f := range []struct {
		name string
		is   bool
		with any
	}{{"ttl", q.Lease > 0, q.Lease}, {"longest-pause", q.Pause > 0, q.Pause},
		{"longest-work", q.Work > 0, q.Work}, {"told", q.Told, nil}, {"fencing", q.Fencing, nil},
		{"no-outage", q.NoOutage, nil}} {
		if f.is {
			out += " --" + f.name
			if f.with != nil {
				out += fmt.Sprint(" ", f.with)
			}
		}
	}
	return out
}
