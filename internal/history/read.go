package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
)

// A LineError is an error with its line in a file.
type LineError struct {
	Line int
	Err  error
}

// Error returns "line 12: " and the reason.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Read reads a history of Recorder, sorts it by stamp and validates it. If it returns an error, it
// also returns the readable part before it, so that a caller may judge that. The error is a
// *LineError if a line is faulty. If the reader is Sized, Read allocates memory once.
func Read(r io.Reader) (*History, error) {
	h := &History{}
	v, s := NewValidator(), newScanner()
	size, _ := r.(Sized)
	read := int64(0)
	err := lines(r, func(n int, line []byte) error {
		if n == 1 {
			err := readHeader(line, &h.Header)
			v.Allow(h.Header.Late)
			return err
		}
		if read += int64(len(line)) + 1; len(h.Events) == sample && size.Bytes > read {
			h.Events = slices.Grow(h.Events, int(size.Bytes/(read/sample)))
		}
		last := len(h.Events)
		h.Events = append(h.Events, Event{})
		err := s.readEvent(line, &h.Events[last])
		if err == nil {
			err = v.add(&h.Events[last])
		}
		if err != nil {
			h.Events = h.Events[:last]
		}
		return err
	})
	h.Sort()
	if err == nil && h.Header.Format == 0 {
		err = &LineError{1, errEmpty}
	}
	return h, err
}

var errEmpty = errors.New("the file is empty")

// Sized is a reader with an estimate of its size in bytes.
type Sized struct {
	io.Reader
	Bytes int64
}

// SizeOf returns the size of a file in bytes, or 0 if it is unknown.
func SizeOf(f fs.File) int64 {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// sample is the number of events that the estimate of the number of all events uses.
const sample = 1000

// Sort orders the events by stamp, keeping the recorded order among equal stamps and an End last.
func (h *History) Sort() {
	if !inOrder(h.Events) {
		slices.SortStableFunc(h.Events, func(a, b Event) int {
			if a.Type == End || b.Type == End {
				return cmp.Compare(btoi(a.Type == End), btoi(b.Type == End))
			}
			return cmp.Compare(a.T, b.T)
		})
	}
}

// inOrder reports whether the events are sorted already, because the check is cheaper than a sort.
// It returns false if an End precedes another event, so that the sort moves it.
func inOrder(events []Event) bool {
	for i := 1; i < len(events); i++ {
		a, b := &events[i-1], &events[i]
		if a.Type == End || b.Type != End && b.T < a.T {
			return false
		}
	}
	return true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func readHeader(line []byte, h *Header) error {
	var kind struct {
		Type   string
		Format int
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return jsonError(err)
	}
	if kind.Type != "header" {
		return fmt.Errorf("a history starts with a header, this is %q", kind.Type)
	}
	if err := units.CheckFormat(kind.Format, Format); err != nil {
		return err
	}
	return json.Unmarshal(line, h)
}

// readEvent reads one line after the header.
func (s *scanner) readEvent(line []byte, e *Event) error {
	if s.event(line, e) {
		return nil
	}
	*e = Event{}
	return jsonError(json.Unmarshal(line, e))
}

// jsonError rewrites the library's message for a line.
func jsonError(err error) error {
	var s *json.SyntaxError
	if errors.As(err, &s) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("not JSON, or cut short: %w", err)
	}
	return err
}

// lines calls f for each line that is not blank, with its number from 1. It wraps f's error in a
// *LineError.
func lines(r io.Reader, f func(n int, line []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), 16<<20)
	n := 0
	for s.Scan() {
		n++
		line := s.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(units.BOM)) // some editors begin a file with it
		}
		if len(line) == 0 {
			continue
		}
		if err := f(n, line); err != nil {
			return &LineError{n, err}
		}
	}
	if err := s.Err(); err != nil {
		return &LineError{n + 1, err}
	}
	return nil
}

// ReadTrace reads trace.jsonl and joins the lines of each command. It returns commands in the order
// of sending. It ignores a last line that a crash cut short, and the reply to a command that was
// sent before the run began.
func ReadTrace(r io.Reader) ([]Command, error) {
	type id struct{ process, seq int }
	var cs []Command
	at := map[id]int{}
	err := lines(r, func(_ int, line []byte) error {
		var c Command
		if err := json.Unmarshal(line, &c); err != nil {
			return jsonError(err)
		}
		i, seen := at[id{c.Process, c.Seq}]
		if !seen {
			at[id{c.Process, c.Seq}] = len(cs)
			cs = append(cs, c)
			return nil
		}
		if len(c.Effects) > 0 {
			cs[i].Effects = c.Effects
			return nil
		}
		if cs[i].Again = max(cs[i].Again, c.Again); c.Again > 0 && c.Recv == 0 {
			return nil
		}
		cs[i].Recv, cs[i].Reply, cs[i].Err, cs[i].Why = c.Recv, c.Reply, c.Err, c.Why
		if c.Node != "" {
			cs[i].Node = c.Node
		}
		return nil
	})
	cs = slices.DeleteFunc(cs, func(c Command) bool { return len(c.Args) == 0 })
	slices.SortStableFunc(cs, func(a, b Command) int { return cmp.Compare(a.Sent, b.Sent) })
	return cs, err
}
