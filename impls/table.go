package impls

import (
	"fmt"
	"time"
)

// Topology is the arrangement of Redis servers that a lock is made for.
type Topology string

// The topologies that locks ask for. A lock made for one server also runs on a master with replicas.
const (
	OneServer   Topology = "single"      // one Redis, with or without replicas behind it
	Independent Topology = "independent" // N Redis masters that know nothing of each other
)

// Entry is a row of the table of locks: what it is, where it comes from, what it declares, and how to make one.
type Entry struct {
	Name     string
	Line     string // what it is, in one line
	Document string // the source document and section: "000 §3, 002"
	Topology Topology

	TTL  time.Duration // the document's own lease; 0: it has none
	Poll time.Duration // the document's own pause between attempts
	// Fixed locks always use the document's own times.
	Fixed bool

	Lease, Validity, Loss, Fencing, Reentrant bool // what it declares

	New func(Setup) (Lock, error)
}

// table is the closed list of locks, in the order of the documents' argument.
var table = []Entry{
	{
		Name: "getset", Line: "SETNX with a timestamp; whoever sees it expired takes over with GETSET",
		Document: "000 §3, 002", Topology: OneServer, TTL: 3 * time.Second, Poll: 100 * time.Millisecond,
		Lease: true, New: newGetset,
	},
	{
		Name: "token-lua", Line: "SET NX PX with a fresh owner value, released by compare-and-delete in Lua",
		Document: "003 §5, 004 §2.3", Topology: OneServer, TTL: 20 * time.Second, Poll: 100 * time.Millisecond,
		Lease: true, New: newTokenLua,
	},
}

// All returns the table of locks. The caller may keep and change the slice.
func All() []Entry { return append([]Entry(nil), table...) }

// Find returns the row of a lock. The error names the lock that was probably meant.
func Find(name string) (Entry, error) {
	names := make([]string, len(table))
	for i, e := range table {
		if e.Name == name {
			return e, nil
		}
		names[i] = e.Name
	}
	return Entry{}, fmt.Errorf("unknown lock %q%s; `lockbench list impls` shows all", name, hint(name, names))
}

// hint is " (did you mean X?)" for the name closest to a wrong one, or nothing.
func hint(name string, names []string) string {
	best, at := len(name)/2+1, ""
	for _, n := range names {
		if d := distance(name, n); d < best {
			best, at = d, n
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", at)
}

// distance is the number of letters to insert, delete or change to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diag := row[0]
		row[0] = i + 1
		for j := range b {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}
