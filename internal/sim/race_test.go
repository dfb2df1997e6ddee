//go:build race

package sim_test

// raced says that the race detector is on. It makes runs ten times slower, and sees enough in a
// part of them.
const raced = true
