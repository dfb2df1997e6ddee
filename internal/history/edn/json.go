package edn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"olympos.io/encoding/edn"
)

// jsonObject reports whether a text starts with a JSON object. A map of EDN has keywords.
func jsonObject(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && (len(rest) == 0 || rest[0] == '"')
}

// jepsenJSON reports whether a text starts with an operation of Jepsen in JSON. One of our own
// histories starts with a header instead.
func jepsenJSON(start []byte) bool {
	first, _, _ := bytes.Cut(start, []byte("}"))
	return bytes.Contains(first, []byte(`"process"`)) && !bytes.Contains(first, []byte(`"t":`))
}

// jsonOperations decodes a list of objects, or one object after the other. If it returns an error,
// it also returns the operations before it.
func jsonOperations(text []byte) (ops []operation, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	line, counted := 1, 0
	failed := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the text ends before the history does")
		}
		return &history.LineError{Line: line, Err: fmt.Errorf("not JSON of Jepsen's: %w", err)}
	}
	list := bytes.HasPrefix(bytes.TrimSpace(text), []byte("["))
	if list {
		_, _ = d.Token()
	}
	for d.More() {
		at := int(d.InputOffset())
		at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n,"))
		line, counted = line+bytes.Count(text[counted:at], []byte("\n")), at
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			return ops, failed(err)
		}
		f := fields{m["type"], m["f"], fromJSON(m["process"]), fromJSON(m["value"]),
			fromJSON(m["index"]), fromJSON(m["time"]), m["error"], m["mode"], fromJSON(m["key"])}
		op, err := f.operation()
		if err != nil {
			return ops, failed(err)
		}
		op.line = line
		ops = append(ops, op)
	}
	if list {
		if _, err := d.Token(); err != nil {
			return ops, failed(err)
		}
	}
	return ops, nil
}

// fromJSON converts a value to the form of the EDN library.
func fromJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = fromJSON(v[i])
		}
	case map[string]any:
		m := make(map[any]any, len(v))
		for key, x := range v {
			m[edn.Keyword(strings.TrimPrefix(key, ":"))] = fromJSON(x)
		}
		return m
	}
	return v
}

// readable describes the formats of Read.
const readable = "lockbench reads its own history.jsonl, Jepsen's EDN and JSON, and with --lines " +
	"FILE lines of any other form (docs/formats.md, Histories of other tools)"

// formats are the known formats of other tools that Read does not support, by their first bytes.
var formats = []struct {
	begins *regexp.Regexp
	says   string
}{
	{regexp.MustCompile(`^JEPSEN`), "this is a test.jepsen file; use the history.edn in its folder"},
	{regexp.MustCompile(`^(\d+|:?nemesis)\s+:(invoke|ok|fail|info)\s`),
		"this is a history.txt of Jepsen's; use the history.edn in its folder, or --lines FILE " +
			"(docs/formats.md has the file for it)"},
	{regexp.MustCompile(`^(INFO|\d{4}-\d\d-\d\d).*jepsen\.util`),
		"this is a log of Jepsen's, as Porcupine's examples are; use the test's history.edn, or " +
			"--lines FILE (docs/formats.md has the file for it)"},
	{regexp.MustCompile(`^<\w+Log>|^\[?\s*{\s*"type"\s*:\s*"(CreateStateMachine|SendEvent|` +
		`DequeueEvent|Announce|MonitorProcessEvent|StateTransition)"`),
		"this is a trace of P's checker, which PObserve also reads; it has no calls with an answer. " +
			"Use the log of the service, with --lines FILE (docs/formats.md)"},
}

// foreign names the format of a text that Read does not support, and gives advice. It returns ""
// for an unknown format.
func foreign(start []byte) string {
	for _, f := range formats {
		if f.begins.Match(start[:min(len(start), 4096)]) {
			return f.says
		}
	}
	return ""
}
