//go:build !unix

package units

// nonblock is not needed on this system.
const nonblock = 0
