package proc

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// OwnsSocket reports whether a process has the end of a TCP connection over IPv4 whose own address
// is local: who it is that connected to this machine from this machine.
func OwnsSocket(pid int, local netip.AddrPort) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	table, err := os.ReadFile(proc + "/net/tcp")
	if err != nil || !local.Addr().Unmap().Is4() {
		return false
	}
	files, _ := filepath.Glob(proc + "/fd/*")
	return sockets(string(table), local, func(words []string) bool {
		return slices.ContainsFunc(files, func(f string) bool {
			to, _ := os.Readlink(f)
			return to == "socket:["+words[inode]+"]"
		})
	})
}

// Listening reports whether a process of this machine listens at an IPv4 address.
func Listening(local netip.AddrPort) bool {
	table, err := os.ReadFile("/proc/self/net/tcp")
	const listens = "0A"
	return err == nil && sockets(string(table), local, func(words []string) bool {
		return words[state] == listens
	})
}

// Columns of the kernel's table of connections: number, local address, remote address, state,
// queues, timer, retransmits, user, time-out, inode.
const (
	localAddress = 1
	state        = 3
	inode        = 9
)

// sockets reports whether a row of the table has this address, and what is wanted besides. An
// address is there as a number in the machine's order of bytes.
func sockets(table string, local netip.AddrPort, wanted func(words []string) bool) bool {
	ip := local.Addr().Unmap().As4()
	address := fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip[:]), local.Port())
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) > inode && words[localAddress] == address && wanted(words) {
			return true
		}
	}
	return false
}
