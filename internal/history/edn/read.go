// Package edn reads and writes histories as Jepsen's EDN. lockbench can judge histories of Jepsen,
// and Jepsen's tools can read histories of lockbench.
package edn

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"olympos.io/encoding/edn"
)

// Options control how a history is written as Jepsen's EDN, and how it is read.
type Options struct {
	Independent bool // values are [key value], as jepsen.independent makes them
	// Pairs says that a value of two elements is a plain value, and not [key value].
	Pairs bool
	// Words translates words of the history to the names of operations and types of events. The
	// translation NoOperation leaves an operation out.
	Words map[string]string
	Lines *Lines // if not nil, the history has lines of this form instead of EDN or JSON
	// Values makes Write write a grant's data as {:client .. :fence .. :uid .. :key ..}. Read always
	// understands this form.
	Values bool
	Key    *int // write the operations of this lock only
}

// NoOperation is the translation of a word whose operations are left out.
const NoOperation = "none"

// ReadAny reads one of our own histories as history.Read does, and any other as Read does. Our own
// start with a header.
func ReadAny(r io.Reader, o Options) (*history.History, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	start, _ := b.Peek(4096)
	start = bytes.TrimLeft(start, " \t\r\n,")
	ours := io.Reader(b)
	if s, ok := r.(history.Sized); ok {
		ours = history.Sized{Reader: b, Bytes: s.Bytes}
	}
	if o.Lines == nil && (len(start) == 0 || jsonObject(start) && !jepsenJSON(start)) {
		return history.Read(ours)
	}
	return Read(b, o)
}

// maxText bounds the size of a foreign history, because it is read into memory.
const maxText = 1 << 30

// Read reads a Jepsen history of EDN or JSON: one map per line, or one vector or list of maps. It
// also reads lines of another form (Options.Lines). It converts a history by these rules:
//
//   - :index, or else the lines, give the order; :time only spaces the stamps, and must not run
//     backwards within a process;
//   - :info is unknown, :fail did not happen; an invocation without completion stays open;
//   - a release that failed is left out, because in Jepsen it only means "no effect", unless its
//     :error says that it was not the owner's;
//   - unknown functions are refused, unless Options.Words translates them;
//   - a read of nil has read the value nil;
//   - the lock or register is the :key of the operation or of its :value, if there is one;
//   - the owner is :client in the :value of a grant, if there is one, otherwise the :process;
//     :fence is the fencing token;
//   - an acquire with :mode :shared, as Write has it, asks for a shared hold;
//   - a :process that is not an integer is the nemesis.
//
// If a line is faulty, Read returns a *LineError and the history before that line.
func Read(r io.Reader, o Options) (*history.History, error) {
	text, err := units.ReadAll(r, maxText)
	if err != nil {
		return &history.History{}, &history.LineError{Line: 1, Err: err}
	}
	ops, readErr := operations(text, o)
	text = nil // it may be large, and is not needed any more
	if ops, err = meaning(ops, o); err != nil {
		return &history.History{}, err
	}
	indexed := !slices.ContainsFunc(ops, func(o operation) bool { return !o.indexed })
	if indexed {
		slices.SortStableFunc(ops, func(a, b operation) int { return cmp.Compare(a.index, b.index) })
	}
	i := newImporter(o, ops)
	for k := range ops {
		if err := i.add(&ops[k]); err != nil {
			return i.history(false), &history.LineError{Line: ops[k].line, Err: err}
		}
	}
	if readErr == nil && len(ops) == 0 {
		readErr = &history.LineError{Line: 1, Err: errors.New("this file has no operation")}
	}
	return i.history(readErr == nil), readErr
}

// operation is one map of a Jepsen history.
type operation struct {
	line    int
	typ     history.Type
	f       string
	process any // an int64 if it is a client
	index   int64
	indexed bool
	time    int64 // -1 if unknown
	value   any
	key     any // nil if the operation names none, or names it in its value
	err     string
	mode    string
}

// operations decodes all operations of a text. If it returns an error, it also returns the
// operations before it.
func operations(text []byte, o Options) ([]operation, error) {
	start := bytes.TrimLeft(text, " \t\r\n,")
	switch format := foreign(start); {
	case o.Lines != nil:
		return o.Lines.operations(text)
	case format != "":
		return nil, &history.LineError{Line: 1, Err: errors.New(format)}
	case jsonObject(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("[")), " \t\r\n")):
		return jsonOperations(text)
	}
	var ops []operation
	s, u := scanner{text: text, line: 1}, newUsual()
	for {
		form, line, err := s.next()
		if err == io.EOF {
			return ops, nil
		}
		if err != nil {
			return ops, &history.LineError{Line: line, Err: err}
		}
		op, err := u.decode(form)
		if err != nil {
			return ops, &history.LineError{Line: line, Err: err}
		}
		if op.line = line; len(ops) == sample {
			ops = slices.Grow(ops, len(text)/(s.pos/sample))
		}
		ops = append(ops, op)
	}
}

// sample is the number of maps that the estimate of the number of all maps uses.
const sample = 1000

func (u *usual) decode(form []byte) (operation, error) {
	f, ok := u.fields(form)
	if !ok {
		var err error
		if f, err = decode(form); err != nil {
			return operation{}, err
		}
	}
	return f.operation()
}

// decode decodes one map by the EDN library. The library panics on some malformed input; decode
// returns an error instead.
func decode(form []byte) (f fields, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not EDN: %v", p)
		}
	}()
	var m map[any]any
	if err := edn.Unmarshal(form, &m); err != nil {
		return f, fmt.Errorf("not EDN: %w", err)
	}
	of := func(key string) any { return m[edn.Keyword(key)] }
	return fields{of("type"), of("f"), of("process"), of("value"), of("index"), of("time"),
		of("error"), of("mode"), of("key")}, nil
}

// fields are the relevant values of a map, as the EDN library decodes it.
type fields struct{ typ, f, process, value, index, time, err, mode, key any }

func (f *fields) operation() (operation, error) {
	o := operation{time: -1, process: f.process, value: f.value, key: f.key}
	o.index, o.indexed = f.index.(int64)
	if t, ok := f.time.(int64); ok {
		o.time = t
	}
	if f.err != nil {
		o.err = plainText(f.err)
	}
	if f.mode != nil && plainText(f.mode) == history.Shared {
		o.mode = history.Shared
	}
	if f.typ == nil || o.process == nil {
		return o, errors.New("an operation needs a type and a process")
	}
	o.typ = history.Type(strings.TrimPrefix(plainText(f.typ), ":"))
	o.f = strings.TrimPrefix(plainText(f.f), ":")
	return o, nil
}

// plainText returns a keyword, symbol or string without its decoration, and any other value as Go
// formats it.
func plainText(v any) string {
	switch v := v.(type) {
	case edn.Keyword:
		return string(v)
	case edn.Symbol:
		return string(v)
	case string:
		return v
	case []any:
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = plainText(x)
		}
		return strings.Join(words, " ")
	}
	return fmt.Sprint(v)
}
