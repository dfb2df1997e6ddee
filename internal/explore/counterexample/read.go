package counterexample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/format1"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// maxFile is how many bytes of a file are read.
const maxFile = 16 << 20

// Read reads what Write wrote, and believes nothing of it: an unknown field, format, lock or absurd
// number is an error with its line.
func Read(r io.Reader) (c *Counterexample, err error) {
	defer func() { // of the YAML library: files come from anywhere
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	c = &Counterexample{}
	err = yaml.UnmarshalWithOptions(text, c, yaml.Strict(),
		yaml.CustomUnmarshaler(foreign(harness.DecodePlan)),
		yaml.CustomUnmarshaler(foreign(property)),
		yaml.CustomUnmarshaler(foreign(nemesis.DecodeStep)))
	if err != nil {
		return nil, oneLine(err, text)
	}
	c.upgrade()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}

// upgrade gives a counterexample of format 1 the words of today. Its plan and its faults have them
// already.
func (c *Counterexample) upgrade() {
	if c.Format != 1 {
		return
	}
	c.Format = Format
	for name, answer := range c.Deviations {
		if question, ok := strings.CutPrefix(name, "strike before "); ok {
			delete(c.Deviations, name)
			c.Deviations[InjectBefore+question] = answer
		}
	}
}

// ReadFile reads the file; the error names it.
func ReadFile(name string) (*Counterexample, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
	}
	defer f.Close()
	c, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s is no counterexample: %w", name, err)
	}
	return c, nil
}

// foreign reads what has its own reader of JSON.
func foreign[T any](decode func(text []byte) (T, error)) func(*T, []byte) error {
	return func(into *T, block []byte) error {
		text, err := yaml.YAMLToJSON(block)
		if err == nil {
			*into, err = decode(text)
		}
		return err
	}
}

// oldNames are the fields of a property that had another name in format 1.
var oldNames = format1.Names{"words": "explanation", "because": "reason"}

// property reads a property of a verdict, also one of format 1. A field that is not known is
// refused.
func property(text []byte) (p checker.Property, err error) {
	if text, err = format1.Upgrade(text, oldNames); err != nil {
		return p, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&p)
	return p, err
}

// oneLine keeps the message of the YAML library, "[3:5] unknown field …", and leaves out its
// picture of the source. Errors of JSON's own reader name a field or a value; the first line with
// it is the one.
func oneLine(err error, text []byte) error {
	line, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	if at, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] "); ok && line[0] == '[' {
		row, _, _ := strings.Cut(at, ":")
		return fmt.Errorf("line %s: %s", row, rest)
	}
	if m := named.FindStringSubmatch(line); m != nil {
		if before, _, ok := bytes.Cut(text, []byte(m[1]+m[2])); ok {
			return fmt.Errorf("line %d: %s", 1+bytes.Count(before, []byte("\n")), line)
		}
	}
	return errors.New(line)
}

var named = regexp.MustCompile(`"([^"]+)"|field \w+\.(\w+)`)
