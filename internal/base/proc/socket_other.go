//go:build !linux

package proc

import "net/netip"

// Owner is for Linux only.
func Owner(netip.AddrPort, []int) (int, bool) { return 0, false }

// Listening is for Linux only.
func Listening(netip.AddrPort) bool { return false }
