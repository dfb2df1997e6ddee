package impls

import (
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/history"
)

// Settings are the options of a lock that a user may set. A plan, a gate file, a worker and the
// lock itself embed them, and flags are made of Table: a new option is a field, its row, and the
// line that uses it.
type Settings struct {
	// how often one hold may be renewed or extended; if zero, without limit, as documented
	MaxRenewals int `json:"max_renewals,omitempty"`
	// for Redlock: how long one node may take; if zero, TTL/20, at least 5 and at most 50 ms
	NodeTimeout history.Duration `json:"node_timeout,omitempty"`
	// how many replicas must confirm a grant (WAIT); otherwise the lock gives it back
	WaitReplicas int `json:"wait_replicas,omitempty"`
	// how long they may take, less than the client's read time-out; if zero, 100 ms
	WaitTimeout history.Duration `json:"wait_timeout,omitempty"`
}

// MaxMasters is the largest number of independent masters, and of replicas that may have to
// confirm a grant.
const MaxMasters = 9

// Table returns the options with their names, bounds and help.
func (s *Settings) Table() []option.Option {
	return []option.Option{
		{Name: "max-renewals", Value: &s.MaxRenewals, Most: 1_000_000,
			Help: "how often one hold may be renewed (default for ever, as documented)"},
		{Name: "node-timeout", Value: &s.NodeTimeout, Most: int64(option.Longest),
			Help: "how long redlock waits for one master (default a twentieth of the lease, 5ms to 50ms)"},
		{Name: "wait-replicas", Value: &s.WaitReplicas, Most: MaxMasters,
			Help: "replicas that must confirm a grant (WAIT), or it is given back"},
		{Name: "wait-timeout", Value: &s.WaitTimeout, Most: int64(option.Longest),
			Help: "how long the replicas of --wait-replicas may take (default 100ms)"},
	}
}
