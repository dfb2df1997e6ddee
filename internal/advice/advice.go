// Package advice holds the commands that lockbench prints for its user to type, each with a promise
// that a test compares with what the command shows.
package advice

// A Command is a line that lockbench prints, with what it promises.
type Command struct {
	Line string
	Promise
}

// String returns the line as it is typed.
func (c Command) String() string { return c.Line }

// MarshalText returns the line: a promise is for tests only.
func (c Command) MarshalText() ([]byte, error) { return []byte(c.Line), nil }

// A Promise says what a command shows. Every command promises that lockbench accepts it.
type Promise struct {
	Exits    []int    // it ends with one of these; if empty, with any but 254 and 255
	Violated []string // letters that the run violates
	Kept     []string // letters that the run does not violate
}
