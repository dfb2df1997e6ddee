package edn

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/history"
	"olympos.io/encoding/edn"
)

// Lines describes the lines of a history in another format.
type Lines struct {
	// Line is a regular expression with the groups type, f and process. The groups value, key, time
	// and error are optional.
	Line  string            `yaml:"line"`
	Skip  string            `yaml:"skip"`  // matches lines without an event
	Unit  time.Duration     `yaml:"unit"`  // of time; if zero, it is in nanoseconds
	Words map[string]string `yaml:"words"` // as Options.Words

	line, skip *regexp.Regexp
}

var groups = []string{"type", "f", "process", "value", "key", "time", "error"}

// ReadLines reads a file with a description of lines.
func ReadLines(file string, text []byte) (*Lines, error) {
	v, err := strictyaml.Parse(file, text)
	if err != nil {
		return nil, err
	}
	l := &Lines{Unit: time.Nanosecond}
	if err := v.Decode(l); err != nil {
		return nil, err
	}
	if l.line, err = regexp.Compile(l.Line); err != nil {
		return nil, fmt.Errorf("%s: line: %w", file, err)
	}
	if l.skip, err = regexp.Compile(l.Skip); err != nil {
		return nil, fmt.Errorf("%s: skip: %w", file, err)
	}
	for _, g := range groups[:3] {
		if l.line.SubexpIndex(g) < 0 {
			return nil, fmt.Errorf("%s: line needs the group (?P<%s>...); there may be: %s", file, g,
				strings.Join(groups, ", "))
		}
	}
	for _, g := range l.line.SubexpNames() {
		if g != "" && !slices.Contains(groups, g) {
			return nil, fmt.Errorf("%s: line: unknown group %q; there are: %s", file, g,
				strings.Join(groups, ", "))
		}
	}
	return l, nil
}

// operations decodes all lines of a text. If it returns an error, it also returns the operations
// before it.
func (l *Lines) operations(text []byte) (ops []operation, err error) {
	n, start := 0, time.Time{}
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		m := l.line.FindSubmatch(line)
		if m == nil && (len(bytes.TrimSpace(line)) == 0 || l.Skip != "" && l.skip.Match(line)) {
			continue
		}
		err := errors.New("neither line nor skip matches this line")
		if m != nil {
			var op operation
			if op, err = l.operation(m, &start); err == nil {
				op.line = n
				ops = append(ops, op)
				continue
			}
		}
		return ops, &history.LineError{Line: n, Err: err}
	}
	return ops, nil
}

func (l *Lines) operation(m [][]byte, start *time.Time) (operation, error) {
	group := func(name string) string {
		if i := l.line.SubexpIndex(name); i >= 0 {
			return string(m[i])
		}
		return ""
	}
	f := fields{typ: group("type"), f: group("f"), process: group("process"),
		value: ednValue(group("value")), key: ednValue(group("key"))}
	if p, err := strconv.ParseInt(group("process"), 10, 64); err == nil {
		f.process = p
	}
	if e := group("error"); e != "" {
		f.err = e
	}
	o, err := f.operation()
	if t := group("time"); err == nil && t != "" {
		o.time, err = l.stamp(t, start)
	}
	return o, err
}

// stamp reads a number of units, or a time of day, counted from the first one.
func (l *Lines) stamp(text string, start *time.Time) (int64, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 {
		return int64(n * float64(l.Unit)), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fmt.Errorf("the time %q is neither a number nor as 2006-01-02T15:04:05.999Z", text)
	}
	if start.IsZero() {
		*start = t
	}
	return max(0, t.Sub(*start).Nanoseconds()), nil
}

// ednValue returns a value of EDN, or the text itself if it is not EDN.
func ednValue(text string) (v any) {
	defer func() {
		if recover() != nil {
			v = text
		}
	}()
	if text == "" || strings.Count(text, "[")+strings.Count(text, "{")+
		strings.Count(text, "(") > maxDepth {
		return nil
	}
	if edn.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}
