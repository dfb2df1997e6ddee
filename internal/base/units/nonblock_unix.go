//go:build unix

package units

import "syscall"

// nonblock makes the opening of a pipe not wait for its writer.
const nonblock = syscall.O_NONBLOCK
