//go:build linux

package stepped

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWaitsIn wants a wait with a time to be told from one without.
func TestWaitsIn(t *testing.T) {
	const rest = " 0x7ffd 0x7f31"
	for _, x := range []struct {
		number    int
		arguments string
		want      string
	}{
		{unix.SYS_NANOSLEEP, " 0x1 0x0 0x0 0x0 0x0 0x0", "nanosleep"},
		{unix.SYS_FUTEX, " 0x1 0x80 0x0 0x7ffd 0x0 0x0", "futex"},
		{unix.SYS_FUTEX, " 0x1 0x80 0x0 0x0 0x0 0x0", ""},
		{unix.SYS_PPOLL, " 0x1 0x1 0x7ffd 0x0 0x0 0x0", "ppoll"},
		{unix.SYS_PPOLL, " 0x1 0x1 0x0 0x0 0x0 0x0", ""},
		{unix.SYS_EPOLL_PWAIT, " 0x1 0x1 0x10 0x64 0x0 0x0", "epoll_pwait"},
		{unix.SYS_EPOLL_PWAIT, " 0x1 0x1 0x10 0xffffffff 0x0 0x0", ""},
		{unix.SYS_READ, " 0x0 0x1 0x1 0x1 0x1 0x1", ""},
	} {
		if got := waitsIn(fmt.Appendf(nil, "%d%s%s\n", x.number, x.arguments, rest)); got != x.want {
			t.Errorf("%d%s: %q, want %q", x.number, x.arguments, got, x.want)
		}
	}
	if got := waitsIn([]byte("running\n")); got != "" {
		t.Errorf("of a thread that runs: %q", got)
	}
}
