package sim

import (
	"runtime"
	"slices"
	"strings"
)

// HangError says that a goroutine of a client never ends. The client's context and its connections
// have ended, so nothing can wake the goroutine any more.
type HangError struct {
	Goroutines []string // stacks, only of goroutines in a call of the lock if there are any
}

// Error shows the first goroutine.
func (e HangError) Error() string {
	text := "a goroutine of the lock never ends, although its client has"
	if len(e.Goroutines) > 0 {
		text += ":\n" + e.Goroutines[0]
	}
	return text
}

// hung returns the error for a bubble whose goroutines all wait for ever.
func hung() HangError {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var all, calls []string
	for _, g := range strings.Split(string(stacks), "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if !strings.Contains(head, "synctest bubble") || strings.Contains(g, "sim.inside(") {
			continue
		}
		all = append(all, g)
		if above, _, inCall := strings.Cut(g, callOfLock); inCall {
			calls = append(calls, strings.TrimSpace(above[:strings.LastIndex(above, "\n")]))
		}
	}
	if len(calls) > 0 {
		all = calls
	}
	slices.Sort(all)
	return HangError{slices.Compact(all)}
}

// callOfLock is the prefix of the functions that call a linked lock for a worker.
const callOfLock = "workloads.linkedKeys."
