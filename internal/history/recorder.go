package history

import (
	"encoding/json"
	"io"
	"sync"
)

// Recorder writes a history line by line during the run. It refuses an impossible event, so that a
// broken client is noticed at once. It is safe for concurrent use.
type Recorder struct {
	mu  sync.Mutex
	w   io.Writer
	enc *json.Encoder
	v   *Validator
}

// NewRecorder writes the header to w and returns a recorder for the events. The caller closes w.
// With io.Discard it validates events but does not encode them.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	h.Type, h.Format = "header", Format
	v := NewValidator()
	v.Allow(h.Late)
	r := &Recorder{w: w, enc: newEncoder(w), v: v}
	return r, r.enc.Encode(h)
}

// Record writes one event. If the history cannot contain the event, Record does not write it and
// returns the reason as an error.
func (r *Recorder) Record(e Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.v.Add(e); err != nil {
		return err
	}
	if r.w == io.Discard {
		return nil
	}
	line := e // allocated here, so that an event that is not written costs nothing
	return r.enc.Encode(&line)
}

// Write writes a complete history in the format of Read.
func (h *History) Write(w io.Writer) error {
	r, err := NewRecorder(w, h.Header)
	for i := 0; err == nil && i < len(h.Events); i++ {
		err = r.Record(h.Events[i])
	}
	return err
}

// WriteDocument writes a value in the form of all JSON documents of lockbench (plan.json,
// verdict.json, matrix.json and the output of --json). It is indented for people. It has <, > and &
// unescaped, because the pages escape them.
func WriteDocument(w io.Writer, v any) error {
	enc := newEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Tracer writes trace.jsonl line by line. It is not safe for concurrent use.
type Tracer struct {
	w   io.Writer
	enc *json.Encoder
}

// NewTracer returns a tracer that writes to w. The caller closes w. With io.Discard it encodes
// nothing, because a search judges its runs in memory.
func NewTracer(w io.Writer) *Tracer { return &Tracer{w, newEncoder(w)} }

// Record writes one line.
func (t *Tracer) Record(c Command) error {
	if t.w == io.Discard {
		return nil
	}
	line := c // allocated here, so that a line that is not written costs nothing
	return t.enc.Encode(&line)
}

// newEncoder does not escape <, > and &, because people read commands and targets.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
