package checker

import (
	"cmp"

	"github.com/lockbench/lockbench/checker/online"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Stream judges a history as that of a mutex while it is read, in memory that does not grow with
// it. Its verdict is that of Check with the model "mutex", but that it ends at the first violation,
// that porcupine is not asked, and that less evidence is counted. It is not safe for concurrent
// use.
type Stream struct {
	header  history.Header
	options Options
	judge   *online.Judge
}

// NewStream returns a stream of a history with this header.
func NewStream(h history.Header, o Options) *Stream {
	return &Stream{header: h, options: o, judge: online.New(h)}
}

// Add takes the next event, which is not before the last one, and does not keep it. It reports
// whether more may change the verdict.
func (s *Stream) Add(e *history.Event) bool { return s.judge.Add(e) }

// Verdict is the verdict on what was added; partial says that it was not all.
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
