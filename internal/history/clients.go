package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/option"
)

// ClientSettings are the options in which the clients of a run may differ, as in a rolling update.
// The options of a user, a plan, a worker and the header of a history embed them, and flags are
// made of Table: a new option is a field, its row, and the line of workloads.Config.ForClient that
// gives a client its own.
type ClientSettings struct {
	// the leases of the clients by turns; if empty, all clients have the run's
	Leases Durations `json:"leases,omitempty"`
}

// Table returns the options with their names, bounds and help.
func (s *ClientSettings) Table() []option.Option {
	return []option.Option{
		{Name: "leases", Value: &s.Leases, Least: 1, Most: int64(option.Longest),
			Help: "leases of the clients by turns, such as `1s,3s` (default all --ttl)"},
	}
}

// LeaseOf returns the lease that a client of the run asks for.
func (h Header) LeaseOf(client int) Duration { return h.Leases.ForClient(client, h.TTL) }

// ShortestLease returns the shortest lease that a client of the run asks for.
func (h Header) ShortestLease() Duration { return h.Leases.Least(h.TTL) }

// Durations are settings of the clients: client i has the one at i modulo their number. They are
// text ("1s,3s") in files.
type Durations []Duration

// ForClient returns the duration of a client, or otherwise if there are none or the client is the
// harness.
func (d Durations) ForClient(client int, otherwise Duration) Duration {
	if len(d) == 0 || client < 0 {
		return otherwise
	}
	return d[client%len(d)]
}

// Least returns the shortest duration, or otherwise if there are none.
func (d Durations) Least(otherwise Duration) Duration {
	if len(d) == 0 {
		return otherwise
	}
	return slices.Min(d)
}

// Most returns the longest duration, or otherwise if there are none.
func (d Durations) Most(otherwise Duration) Duration {
	if len(d) == 0 {
		return otherwise
	}
	return slices.Max(d)
}

// String returns the durations with commas between them.
func (d Durations) String() string {
	var texts []string
	for _, one := range d {
		texts = append(texts, one.String())
	}
	return strings.Join(texts, ",")
}

// MarshalText returns a text such as "1s,3s".
func (d Durations) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Durations) UnmarshalText(b []byte) error {
	*d = nil
	for text := range strings.SplitSeq(string(b), ",") {
		one, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("%q is not a list of times such as 1s,3s", b)
		}
		*d = append(*d, Duration(one))
	}
	return nil
}
