//go:build !unix

package units

// nonblock is not needed here.
const nonblock = 0
