//go:build unix

package units

import "syscall"

// nonblock opens a pipe without a wait for its writer.
const nonblock = syscall.O_NONBLOCK
