package counterexample

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/format1"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
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
	if err := file.Decode(c, oldNames); err != nil {
		return nil, err
	}
	c.upgrade()
	return c, c.Validate()
}

// oldNames are the fields that had another name in format 1.
var oldNames = format1.Names{"words": "explanation", "because": "reason"}.And(harness.OldNames)

// upgrade gives a counterexample of an older format the words and fields of today.
func (c *Counterexample) upgrade() {
	for _, s := range c.Steps {
		if s.Fault != nil {
			s.Fault.Upgrade()
		}
	}
	c.Plan.Upgrade()
	if c.Format != 1 && c.Format != 2 {
		return
	}
	for i := range c.Steps {
		c.Steps[i].tellLoss()
	}
	first := c.Format == 1
	if c.Format = Format; !first {
		return
	}
	for name, answer := range c.Deviations {
		if question, ok := strings.CutPrefix(name, "strike before "); ok {
			delete(c.Deviations, name)
			c.Deviations[InjectBefore+question] = answer
		}
	}
}

// tellLoss fills what a step of format 1 or 2 says only in the text of its error.
func (s *Step) tellLoss() {
	has := func(text string) bool { return strings.Contains(s.Err, text) }
	s.CalledOff = s.Kind == Mark && strings.Contains(s.Reply, context.Canceled.Error())
	switch {
	case s.Kind != Recv || s.Err == "":
	case has(context.Canceled.Error()):
		s.Loss = history.Canceled
	case has(context.DeadlineExceeded.Error()):
		s.Loss = history.Expired
	case has("timeout"):
		s.Loss = history.TimedOut
	case has("dial"):
		s.Loss = history.NotSent
	default:
		s.Loss = history.BrokenOff
	}
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
