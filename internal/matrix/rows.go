package matrix

import "slices"

// Row is a lock as the matrix runs it: a lock of the table with its knobs.
type Row struct {
	Name       string   `json:"name"`
	Impl       string   `json:"impl"`
	Variant    string   `json:"variant,omitempty"`
	NoWatchdog bool     `json:"no_watchdog,omitempty"`
	Masters    int      `json:"masters,omitempty"`
	Workload   string   `json:"workload,omitempty"`
	Traits     []string `json:"traits,omitempty"` // what aims go by; see the constants
	From       string   `json:"from"`             // where the expectation comes from
}

// The traits of locks: how they can be attacked.
const (
	lease    = "lease"    // the lock is free again after a time
	look     = "look"     // a release looks who has the lock, and then deletes it
	two      = "two"      // an acquire needs two commands
	Watchdog = "watchdog" // the lease is renewed while somebody is inside
	takeover = "takeover" // a client that finds the lease over takes the lock away by itself
	// the owner value outlives a hold, so that a late release can end the next one
	reused  = "reused"
	seesNil = "nil"     // a lock that is gone between two commands is read as expired
	finally = "finally" // whoever was refused releases nevertheless
	masters = "masters" // it uses independent masters
	idle    = "idle"    // nobody ever waits for it, so that no fault has anything to strike
	posted  = "posted"  // it cannot be used as it was posted
)

// fromTable marks the rows of the bounded model.
const fromTable = "docs/locks/expected.md"

// ours marks the rows that it has not; the expectation was reasoned out before the first
// measurement.
const ours = "reasoned before measuring"

// rows is the closed list.
var rows = []Row{
	{Name: "setnx", Impl: "setnx", From: fromTable},
	{Name: "setnx-del-expired", Impl: "setnx-del-expired", Traits: []string{lease, takeover, seesNil},
		From: fromTable},
	{Name: "setnx-del-expired nil-retry", Impl: "setnx-del-expired", Variant: "nil-retry",
		Traits: []string{lease, takeover}, From: fromTable +
			", none and crash; the rest was reasoned when it had been measured once"},
	{Name: "setnx-expire", Impl: "setnx-expire", Traits: []string{lease, two}, From: fromTable},
	{Name: "setnx-expire-lua", Impl: "setnx-expire-lua", Traits: []string{lease}, From: ours},
	{Name: "getset", Impl: "getset", Traits: []string{lease, look, takeover}, From: fromTable},
	{Name: "getset-java", Impl: "getset-java", Traits: []string{lease, look, takeover, finally},
		From: fromTable},
	{Name: "getset-redispy", Impl: "getset-redispy", Traits: []string{lease, look, takeover, seesNil},
		From: fromTable},
	{Name: "setpx-del", Impl: "setpx-del", Traits: []string{lease}, From: fromTable},
	{Name: "setpx-getdel", Impl: "setpx-getdel", Traits: []string{lease, look}, From: fromTable},
	{Name: "token-lua", Impl: "token-lua", Traits: []string{lease}, From: fromTable},
	{Name: "token-lua constant", Impl: "token-lua", Variant: "constant", Traits: []string{
		lease, reused}, From: ours},
	{Name: "redisson fixed lease", Impl: "redisson", NoWatchdog: true, Traits: []string{lease, reused},
		From: fromTable},
	{Name: "redisson watchdog", Impl: "redisson", Traits: []string{lease, Watchdog, reused},
		From: fromTable},
	{Name: "redisson-spin", Impl: "redisson-spin", Traits: []string{lease, Watchdog, reused},
		From: ours},
	{Name: "redisson-multi", Impl: "redisson-multi", Workload: "multi", Traits: []string{
		lease, Watchdog, reused}, From: ours},
	{Name: "redisson-fenced fixed lease", Impl: "redisson-fenced", NoWatchdog: true, Traits: []string{
		lease, reused}, From: fromTable},
	{Name: "redlock per call", Impl: "redlock", Variant: "call", Masters: 3, Traits: []string{
		lease, masters}, From: fromTable},
	{Name: "redlock per attempt", Impl: "redlock", Masters: 3, Traits: []string{lease, masters},
		From: fromTable},
	{Name: "setnx-expire-lua-as-posted", Impl: "setnx-expire-lua-as-posted", Traits: []string{posted},
		From: ours},
	{Name: "setpx-getdel-as-posted", Impl: "setpx-getdel-as-posted", Traits: []string{posted},
		From: ours},
	{Name: "local", Impl: "local", Traits: []string{idle}, From: ours},
	{Name: "none", Impl: "none", Traits: []string{idle}, From: ours},
}

// Rows returns the locks of the matrix. The caller may keep and change the slice.
func Rows() []Row { return slices.Clone(rows) }

func (r Row) Has(trait string) bool { return slices.Contains(r.Traits, trait) }
