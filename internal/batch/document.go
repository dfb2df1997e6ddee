package batch

import (
	"encoding/json"
	"fmt"
	"io"
)

// Format is the version of matrix.json and results.jsonl.
const Format = 1

// readDocument reads what history.WriteDocument wrote, and refuses a format that this lockbench
// does not know. The name is for the error.
func ReadDocument[T any](r io.Reader, name string, format func(*T) int) (*T, error) {
	d := new(T)
	if err := json.NewDecoder(r).Decode(d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f := format(d); f != Format {
		return nil, fmt.Errorf("%s has format %d; this lockbench reads format %d", name, f, Format)
	}
	return d, nil
}
