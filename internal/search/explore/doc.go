// Package explore looks for runs of the simulator that show a failure of a lock.
//
// Search (search.go) tries seeds. It schedules messages at random or by priorities (choosers.go),
// and injects faults where scenarios aim them or at random moments (moments.go). Exhaustive
// (exhaust.go) tries every order of messages within bounds, depth first (depth_first.go,
// follower.go), with a fault at any place (anywhere.go). Both return hits (hit.go). Shrinking
// (shrink.go) makes a hit small, and package counterexample stores it.
package explore
