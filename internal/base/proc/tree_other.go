//go:build !linux

package proc

// Descendants returns nil: on this system, servers do not run as processes.
func Descendants(int) []int { return nil }
