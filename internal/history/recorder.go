package history

import (
	"encoding/json"
	"io"
	"sync"
)

// Recorder writes a history line by line during the run. It refuses an impossible event, so that a
// broken client is noticed at once. It is safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	w    io.Writer
	line line
	v    *Validator
}

// NewRecorder writes the header to w and returns a recorder for the events. The caller closes w.
// With io.Discard it validates events but does not encode them.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	h.Type, h.Format = "header", Format
	v := NewValidator()
	v.Allow(h.Late)
	return &Recorder{w: w, v: v}, newEncoder(w).Encode(h)
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
	e.write(&r.line)
	return r.line.flush(r.w)
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
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
