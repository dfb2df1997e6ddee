package engine

import "strconv"

// The errors that several commands have.
const (
	wrongType  = "WRONGTYPE Operation against a key holding the wrong kind of value"
	syntax     = "ERR syntax error"
	notInteger = "ERR value is not an integer or out of range"
	overflow   = "ERR increment or decrement would overflow"
)

// integer reads a number as Redis does: no sign but a minus, no leading zero, no space.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}
