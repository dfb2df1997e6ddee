package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Owner returns the process, out of pids, that owns the end of a TCP connection over IPv4 with the
// address local. It shows which process of this machine opened a connection to this machine. It
// reads the kernel's table once. That takes milliseconds even if there are few connections.
func Owner(local netip.AddrPort, pids []int) (pid int, found bool) {
	if !local.Addr().Unmap().Is4() || len(pids) == 0 {
		return 0, false
	}
	table, err := os.ReadFile("/proc/" + strconv.Itoa(pids[0]) + "/net/tcp")
	if err != nil {
		return 0, false
	}
	ends := sockets(string(table), local)
	i := slices.IndexFunc(pids, func(pid int) bool {
		files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
		return slices.ContainsFunc(files, func(f string) bool {
			to, _ := os.Readlink(f)
			return slices.Contains(ends, to)
		})
	})
	if i < 0 {
		return 0, false
	}
	return pids[i], true
}

// Listening reports whether a server of this machine listens at an IPv4 address. It binds the
// address for a moment, with the option to reuse addresses. Then only another listener can prevent
// that, and not a left-over connection. A server that starts at this moment uses the same option
// and is not disturbed.
func Listening(local netip.AddrPort) bool {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(s)
	err = errors.Join(unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
		unix.Bind(s, &unix.SockaddrInet4{Port: int(local.Port()), Addr: local.Addr().Unmap().As4()}))
	return errors.Is(err, unix.EADDRINUSE)
}

// Columns of the kernel's table of connections: number, local address, remote address, state,
// queues, timer, retransmits, user, time-out, inode.
const (
	localAddress = 1
	inode        = 9
)

// sockets returns the rows of the kernel's table that have this address. It names them as the open
// files of a process do. The table has addresses as numbers in the machine's byte order.
func sockets(table string, local netip.AddrPort) (names []string) {
	ip := local.Addr().Unmap().As4()
	address := fmt.Sprintf(" %08X:%04X ", binary.NativeEndian.Uint32(ip[:]), local.Port())
	for line := range strings.Lines(table) {
		if !strings.Contains(line, address) {
			continue
		}
		words := strings.Fields(line)
		if len(words) > inode && " "+words[localAddress]+" " == address {
			names = append(names, "socket:["+words[inode]+"]")
		}
	}
	return names
}
