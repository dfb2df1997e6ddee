package counterexample

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
)

// maxFile is how many bytes of a file are read: a long run that was not shrunk has some thousand
// steps.
const maxFile = 4 << 20

// Read reads what Write wrote, and believes nothing of it: an unknown field, format, lock or absurd
// number is an error with its line.
func Read(r io.Reader) (*Counterexample, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	file, err := strictyaml.ParseUpTo(maxFile, "", text)
	if err != nil {
		return nil, err
	}
	c := &Counterexample{}
	if err := file.CheckFormat(Format); err != nil {
		return nil, err
	}
	if err := file.Decode(c); err != nil {
		return nil, err
	}
	c.Verdict.UsePresentNames()
	return c, c.Validate()
}

// ReadFile reads the file; the error names it.
func ReadFile(name string) (*Counterexample, error) {
	text, err := units.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s is no counterexample: %w", name, err)
	}
	return c, nil
}
