//go:build !linux

package proc

import "net/netip"

// OwnsSocket is for Linux only.
func OwnsSocket(int, netip.AddrPort) bool { return false }

// Listening is for Linux only.
func Listening(netip.AddrPort) bool { return false }
