// Package advice holds the commands that lockbench prints for its user to type, each with a promise
// of its result.
package advice

// A Command is a line that lockbench prints, with the promised result.
type Command struct {
	Line string
	Promise
}

// String returns the command line.
func (c Command) String() string { return c.Line }

// MarshalText returns the line: the promise is not printed.
func (c Command) MarshalText() ([]byte, error) { return []byte(c.Line), nil }

// A Promise is the expected result of a command. Every command promises that lockbench accepts it.
type Promise struct {
	Exits    []int    // it ends with one of these; if empty, with any but 254 and 255
	Violated []string // letters that the run violates
	Kept     []string // letters that the run does not violate
	Says     []string // words that it prints
}
