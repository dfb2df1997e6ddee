package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Format is the version of all documents that a batch writes: options.json, results.jsonl,
// matrix.json, gate.json and the recorded results of the pages.
const Format = 2

// formatted is the common field of every document and line.
type formatted struct {
	Format int `json:"format"`
}

// decode reads a document or a line. It refuses any other format.
func decode[T any](b []byte) (*T, error) {
	format, err := formatOf(b)
	if err == nil {
		err = units.CheckFormat(format, Format)
	}
	d := new(T)
	if err == nil {
		err = json.Unmarshal(b, d)
	}
	return d, err
}

// formatOf reads the format of a document or a line. It is fast if the format is the first field,
// as in lockbench's own files.
func formatOf(b []byte) (int, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	for _, want := range []json.Token{json.Delim('{'), "format"} {
		if t, err := dec.Token(); err != nil || t != want {
			var f formatted
			err = json.Unmarshal(b, &f)
			return f.Format, err
		}
	}
	var format int
	return format, dec.Decode(&format)
}

// ReadDocument reads a document that history.WriteDocument wrote. The name appears in errors.
func ReadDocument[T any](r io.Reader, name string) (*T, error) {
	b, err := units.ReadAll(r, units.MaxDocument)
	if err != nil {
		return nil, err
	}
	d, err := decode[T](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// ReadFile reads the document in a file. The error is fs.ErrNotExist if the file does not exist.
func ReadFile[T any](name string) (*T, error) {
	f, err := units.Open(name, units.MaxDocument)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadDocument[T](f, filepath.Base(name))
}

// ReadLines reads a record with a document on each line. It leaves out a last line that an
// interruption cut off.
func ReadLines[T any](r io.Reader) (out []T, err error) {
	dec := json.NewDecoder(r)
	for {
		var line json.RawMessage
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return out, nil
		}
		var one *T
		if err == nil {
			one, err = decode[T](line)
		}
		if err != nil {
			return out, fmt.Errorf("line %d: %w", len(out)+1, err)
		}
		out = append(out, *one)
	}
}

// WriteLine writes one line of a record. It also serves for short documents that only programs
// read.
func WriteLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Table returns a function that reads a built-in table when it is first called. It refuses a name
// that T does not have. An unreadable table is a mistake in the program, so it panics; a test of
// the room with the table calls it.
func Table[T any](name, text string) func() T {
	return sync.OnceValue(func() (table T) {
		err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&table)
		if err != nil {
			panic(name + ": " + yaml.FormatError(err, false, false))
		}
		return table
	})
}
