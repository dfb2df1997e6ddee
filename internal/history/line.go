package history

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// A line builds a JSON object. It writes the same bytes as encoding/json, but without reflection,
// which took a tenth of a simulated run. encoding/json writes the header, because a run has only
// one.
type line struct{ b []byte }

func (l *line) begin() { l.b = append(l.b, '{') }
func (l *line) end()   { l.b = append(l.b, '}') }

// name starts a field.
func (l *line) name(name string) {
	if l.b[len(l.b)-1] != '{' {
		l.b = append(l.b, ',')
	}
	l.b = append(append(append(l.b, '"'), name...), `":`...)
}

// number writes a field, always; count leaves it out when it is zero, as the others do.
func (l *line) number(name string, v int64) {
	l.name(name)
	l.b = strconv.AppendInt(l.b, v, 10)
}

func (l *line) count(name string, v int64) {
	if v != 0 {
		l.number(name, v)
	}
}

func (l *line) flag(name string, v bool) {
	if v {
		l.name(name)
		l.b = append(l.b, "true"...)
	}
}

func (l *line) text(name, v string) {
	if v != "" {
		l.name(name)
		l.quote(v)
	}
}

func (l *line) duration(name string, v Duration) {
	if v != 0 {
		l.text(name, v.String())
	}
}

func (l *line) texts(name string, vs []string) {
	l.list(name, len(vs), func(i int) { l.quote(vs[i]) })
}

func (l *line) numbers(name string, vs []int) {
	l.list(name, len(vs), func(i int) { l.b = strconv.AppendInt(l.b, int64(vs[i]), 10) })
}

func (l *line) list(name string, n int, item func(i int)) {
	if n == 0 {
		return
	}
	l.name(name)
	l.items(n, item)
}

func (l *line) array(vs []string) { l.items(len(vs), func(i int) { l.quote(vs[i]) }) }

func (l *line) items(n int, item func(i int)) {
	l.b = append(l.b, '[')
	for i := range n {
		if i > 0 {
			l.b = append(l.b, ',')
		}
		item(i)
	}
	l.b = append(l.b, ']')
}

// quote writes a string. It leaves a string that is not plain ASCII to encoding/json.
func (l *line) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			l.encode(s)
			return
		}
	}
	l.b = append(append(append(l.b, '"'), s...), '"')
}

// value adds a value that is rare, so that the general encoder is fast enough.
func (l *line) value(name string, v any) {
	l.name(name)
	l.encode(v)
}

func (l *line) encode(v any) {
	var b bytes.Buffer
	_ = newEncoder(&b).Encode(v) // encoding plain data into memory cannot fail
	l.b = append(l.b, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// flush writes the line and clears it for the next.
func (l *line) flush(w io.Writer) error {
	_, err := w.Write(append(l.b, '\n'))
	l.b = l.b[:0]
	return err
}

func (e Event) write(l *line) {
	l.begin()
	l.name("type")
	l.quote(string(e.Type))
	l.number("t", e.T)
	l.number("process", int64(e.Process))
	l.text("f", e.F)
	l.count("n", int64(e.N))
	if e.Key != nil {
		l.number("key", int64(*e.Key))
	}
	l.numbers("keys", e.Keys)
	l.text("mode", e.Mode)
	l.count("depth", int64(e.Depth))
	if e.Value != nil {
		l.number("value", *e.Value)
	}
	if e.If != nil {
		l.number("if", *e.If)
	}
	if e.Grant != nil {
		l.name("grant")
		e.Grant.write(l)
	}
	l.text("err", e.Err)
	l.text("why", string(e.Why))
	l.duration("gap", e.Gap)
	l.flag("planned", e.Planned)
	l.text("signal", e.Signal)
	l.text("phase", e.Phase)
	l.count("id", int64(e.ID))
	l.text("target", e.Target)
	l.flag("aimed", e.Aimed)
	l.flag("lasted", e.Lasted)
	if e.By != nil {
		l.number("by", int64(*e.By))
	}
	if e.Undone != nil {
		l.value("undone", e.Undone)
	}
	l.flag("interrupted", e.Interrupted)
	if len(e.Counters) > 0 {
		l.value("counters", e.Counters)
	}
	l.end()
}

func (g *Grant) write(l *line) {
	l.begin()
	l.count("sent", g.Sent)
	l.duration("lease", g.Lease)
	l.count("valid_until", g.ValidUntil)
	l.count("token", g.Token)
	l.text("node", g.Node)
	l.end()
}

func (c Command) write(l *line) {
	l.begin()
	l.number("process", int64(c.Process))
	l.number("seq", int64(c.Seq))
	l.count("n", int64(c.N))
	l.text("node", c.Node)
	l.count("sent", c.Sent)
	l.count("recv", c.Recv)
	l.texts("args", c.Args)
	l.text("reply", c.Reply)
	l.text("err", c.Err)
	l.text("why", string(c.Why))
	l.list("effects", len(c.Effects), func(i int) { l.array(c.Effects[i]) })
	l.count("again", int64(c.Again))
	l.end()
}

// Tracer writes trace.jsonl line by line. It is not safe for concurrent use.
type Tracer struct {
	w    io.Writer
	line line
}

// NewTracer returns a tracer that writes to w. The caller closes w. With io.Discard it encodes
// nothing, because a search judges its runs in memory.
func NewTracer(w io.Writer) *Tracer { return &Tracer{w: w} }

// Record writes one line.
func (t *Tracer) Record(c Command) error {
	if t.w == io.Discard {
		return nil
	}
	c.write(&t.line)
	return t.line.flush(t.w)
}

// newEncoder does not escape <, > and &, because people read commands and targets.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
