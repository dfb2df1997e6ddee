// Package explore looks for runs of the simulator in which a lock fails: at random, by priorities,
// or all of them within bounds. What it finds it makes small, and keeps as a counterexample: a file
// that a person reads and that `lockbench replay` does again, in the simulator and on real Redis.
package explore
