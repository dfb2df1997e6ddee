// Package explore looks for runs of the simulator in which a lock fails.
//
// Search (search.go) tries seeds: at random or by priorities (choosers.go, priorities.go), with
// faults where scenarios aim them or at moments that are drawn (moments.go). Exhaustive
// (exhaust.go) goes through every order of messages within bounds, depth first (depth_first.go,
// follower.go), with a fault at any place (anywhere.go). A Hit (hit.go) is what they find;
// shrink.go makes it small, and package counterexample keeps it.
package explore
