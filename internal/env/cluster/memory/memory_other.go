//go:build !linux

// Package memory is about what processes share in this machine's memory: nothing where servers are
// no processes of the machine.
package memory

// Folder is not looked for here.
func Folder() string { return "" }

// Forget does nothing.
func Forget(string) {}
