package history

import (
	"io"
	"sync"
)

// Recorder writes a history line by line while the run goes on. It refuses an impossible event, so
// that a broken client is noticed when it breaks. It is safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	w    io.Writer
	line line
	v    *Validator
}

// NewRecorder writes the header to w and returns a recorder for the events. The caller closes w.
// With io.Discard events are validated and not encoded.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	h.Type, h.Format = "header", Format
	v := NewValidator()
	v.Allow(h.Late)
	return &Recorder{w: w, v: v}, newEncoder(w).Encode(h)
}

// Record writes one event. An event that the history cannot contain is not written; the error says
// why.
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

// Write writes a whole history, as Read reads it.
func (h *History) Write(w io.Writer) error {
	r, err := NewRecorder(w, h.Header)
	for i := 0; err == nil && i < len(h.Events); i++ {
		err = r.Record(h.Events[i])
	}
	return err
}
