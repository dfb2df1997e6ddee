//go:build linux

package stepped

import "golang.org/x/sys/unix"

func init() { // newer architectures lack them
	timedCalls[unix.SYS_POLL] = timedCall{"poll", 2, false}
	timedCalls[unix.SYS_SELECT] = timedCall{"select", 4, true}
	timedCalls[unix.SYS_EPOLL_WAIT] = timedCall{"epoll_wait", 3, false}
}
