package checker

import (
	"cmp"

	"github.com/lockbench/lockbench/checker/online"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Stream judges a history as a mutex while it is read, in constant memory. Its verdict equals that
// of Check with the model "mutex", with three differences: it stops at the first violation, it does
// not ask porcupine, and it counts less evidence. It is not safe for concurrent use.
type Stream struct {
	header  history.Header
	options Options
	judge   *online.Judge
}

// NewStream returns a stream of a history with this header.
func NewStream(h history.Header, o Options) *Stream {
	return &Stream{header: h, options: o, judge: online.New(h)}
}

// Add takes the next event in the order of time, and does not keep it. It reports whether more may
// change the verdict.
func (s *Stream) Add(e *history.Event) bool { return s.judge.Add(e) }

// Verdict returns the verdict on the added events. Partial says that more events existed.
func (s *Stream) Verdict(partial bool) *Verdict {
	p, found, r := s.judge.Verdict()
	v := &Verdict{Format: verdict.Format, Evidence: found,
		Expect: cmp.Or(s.options.Expect, s.header.Expect, string(Valid))}
	if why := doubt(r, partial, found, s.header.Requires); p.Verdict == Valid && why != "" {
		p.Verdict, p.Reason = Unknown, why
	}
	v.Properties = []Property{p}
	conclude(v, r)
	return v
}
