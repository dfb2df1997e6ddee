package history

import (
	"cmp"
	"slices"
	"time"
)

// Header is line 1 of a history: everything that a checker must know to judge the rest.
type Header struct {
	Type        string            `json:"type"` // "header"
	Format      int               `json:"format"`
	Environment string            `json:"environment"` // process, docker, sim; empty if imported
	Topology    string            `json:"topology"`    // single, failover, sentinel, independent
	Versions    map[string]string `json:"versions,omitempty"`
	// the machine; empty in the simulator, where it does not count
	Machine  string   `json:"machine,omitempty"`
	Impl     string   `json:"impl"`
	Nemesis  string   `json:"nemesis"`
	Workload string   `json:"workload"`
	Seed     uint64   `json:"seed"`
	Clients  int      `json:"clients"`
	Keys     int      `json:"keys"`
	TTL      Duration `json:"ttl"` // the longest lease, if the clients have different ones
	ClientSettings
	Poll Duration `json:"poll"`
	// how long one acquire waits; zero if not known
	AcquireTimeout Duration `json:"acquire_timeout,omitempty"`
	// how long a client waits for the answer to one command, with all retries; empty if unknown
	ClientTimeout Duration `json:"client_timeout,omitempty"`
	// assumed rate error between a client's clock and a server's, as a fraction
	Drift    float64  `json:"drift"`
	Declares Declares `json:"declares"`
	// how many independent masters there are, in the topology independent
	Masters int `json:"masters,omitempty"`
	// the servers may evict keys when their memory is full
	Evicts bool `json:"evicts,omitempty"`
	// the commands were recorded outside of the clients, so that no client can lose the end of one
	// when it dies
	WholeTrace bool `json:"whole_trace,omitempty"`
	// Outstays says that the scenario keeps holders inside until their lease is over. The lock does
	// not renew it.
	Outstays bool `json:"outstays,omitempty"`
	// the system of the servers, if it is not Redis; there is no trace of its commands
	System string `json:"system,omitempty"`
	// the Redis keys of the locks, by number; an environment may put a prefix before them
	Names      []string          `json:"names,omitempty"`
	Scripts    map[string]Script `json:"scripts,omitempty"` // what the lock's scripts do, by ScriptID
	Properties []string          `json:"properties"`        // the judged properties: S, L, ...
	// the properties that do not decide the run unless Expect names them
	Reported []string `json:"reported,omitempty"`
	// valid, violated, letters ("S", "S,L"), or these letters only ("exactly:S,L")
	Expect   string   `json:"expect"`
	Requires Requires `json:"requires"`
	// no operation of the imported history has a time: T counts its operations, a millisecond each
	Untimed bool `json:"untimed,omitempty"`
	// how much earlier than a line before it a line may be stamped; if empty, the lines of each
	// process are in the order of their stamps
	Late    Duration `json:"late,omitempty"`
	Epoch   int64    `json:"epoch"`   // CLOCK_MONOTONIC, ns, at T = 0
	Started string   `json:"started"` // wall clock at T = 0, RFC 3339
	Command string   `json:"command"` // reproduces the run
}

// Declares is the set of a lock's promises to its user. Checkers judge only these.
type Declares struct {
	Lease     bool `json:"lease,omitempty"`     // a hold ends by itself after a time
	Validity  bool `json:"validity,omitempty"`  // each grant names the end of its validity
	Loss      bool `json:"loss,omitempty"`      // the holder is told when the hold is over early
	Fencing   bool `json:"fencing,omitempty"`   // each grant carries a growing token
	Reentrant bool `json:"reentrant,omitempty"` // the holder may acquire again
	Shared    bool `json:"shared,omitempty"`    // holds may overlap if all of them are shared
	// all clients may be inside at once: the lock checks each write instead
	Optimistic bool `json:"optimistic,omitempty"`
	// the hold is a transaction: its write commits with it, and ends it
	Transaction bool `json:"transaction,omitempty"`
	// the longest time for which a waiting client rests before it tries again by itself; a moment if
	// the lock wakes it, empty if unknown
	Pause Duration `json:"pause,omitempty"`
	// a new leader of the servers restarts the full time of every lease
	LeaderRenews bool `json:"leader_renews,omitempty"`
	// how long the lock keeps the place of a dead waiting client
	DeadWaiters Duration `json:"dead_waiters,omitempty"`
	// how long the lock keeps its key at least, from the grant on, even after a release
	MinimumHold Duration `json:"minimum_hold,omitempty"`
	// the lock prefers some of its waiting clients to others
	Preference bool `json:"preference,omitempty"`
	// an acquire ignores how long it may wait, and goes on until it is granted
	Endless bool `json:"endless,omitempty"`
}

// ChecksWrites reports whether the lock itself decides on each write. Then it does no harm that two
// clients are inside at once.
func (d Declares) ChecksWrites() bool { return d.Optimistic || d.Transaction }

// GrantBound returns the time within which some client must be granted a free lock. It is the sum
// of one lease (two if a fault struck and a new leader renews all leases), two pauses between
// tries, the wait for dead clients, and a second.
func (d Declares) GrantBound(lease, pause Duration, faulted bool) Duration {
	if d.LeaderRenews && faulted {
		lease *= 2
	}
	return lease + 2*pause + d.DeadWaiters + Duration(time.Second)
}

// PauseOr returns the declared pause between two tries of a waiting client, or poll if the lock
// declares none.
func (d Declares) PauseOr(poll Duration) Duration { return cmp.Or(d.Pause, poll) }

// Requires is the least evidence for a valid run. With less, a clean history is unknown.
type Requires struct {
	// acquisitions that another client also wanted at the same time
	Contended int  `json:"contended,omitempty"`
	Hits      int  `json:"hits,omitempty"`      // faults that hit a hold while a contender waited
	Failover  bool `json:"failover,omitempty"`  // a grant by the new master
	Handovers int  `json:"handovers,omitempty"` // grants to another client than the one before
	// writes that an optimistic lock refused since another client was first
	Conflicts int `json:"conflicts,omitempty"`
}

// History is a complete record. Events are sorted by stamp; equal stamps are concurrent.
type History struct {
	Header Header
	Events []Event
}

// Complete reports whether the run came to its end and was not interrupted.
func (h *History) Complete() bool {
	return len(h.Events) > 0 && h.Events[len(h.Events)-1].Type == End
}

// Undone returns the missed step without which the scenario proves nothing, or nil.
func (h *History) Undone() *Undone {
	if !h.Complete() {
		return nil
	}
	return h.Events[len(h.Events)-1].Undone
}

// Interrupted reports whether the run was stopped early: a signal ended it, or lockbench itself was
// killed, so that the end is missing.
func (h *History) Interrupted() bool {
	return !h.Complete() || h.Events[len(h.Events)-1].Interrupted
}

// HarnessError returns the reason why the harness could not finish the run, or "".
func (h *History) HarnessError() string {
	if !h.Complete() {
		return ""
	}
	return h.Events[len(h.Events)-1].Err
}

// Locks returns the numbers of the locks in a history, in the order of their first use.
func (h *History) Locks() []int {
	var keys []int
	for _, e := range h.Events {
		if e.Process < 0 || e.F == "" {
			continue
		}
		for _, k := range append(slices.Clone(e.Keys), e.KeyOf()) {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// ForKey returns the events of one lock, and the events of all processes and faults.
func (h *History) ForKey(key int) *History {
	out := &History{Header: h.Header}
	out.Header.Keys = 1
	for _, e := range h.Events {
		if e.Process >= 0 && e.F != "" && e.Type != Fault {
			if e.KeyOf() != key && !slices.Contains(e.Keys, key) {
				continue
			}
			e.Key, e.Keys = Ptr(key), nil
		}
		out.Events = append(out.Events, e)
	}
	return out
}
