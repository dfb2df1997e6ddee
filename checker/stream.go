package checker

import (
	"cmp"
	"slices"
	"time"

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

// Plain judges S and L of a history without commands while it is read, in memory that does not grow
// with it, if nothing in it is out of the ordinary (see online.Plain). Its verdict is Check's.
// It is not safe for concurrent use.
type Plain struct {
	header  history.Header
	options Options
	letters []string
	judge   *online.Plain
}

// NewPlain returns a judge of a history with this header, or nil if more is asked for than S and L.
func NewPlain(h history.Header, o Options) *Plain {
	letters := asked(o, &history.History{Header: h})
	if history.ParseExpectation(cmp.Or(o.Expect, h.Expect)).Starved {
		return nil
	}
	if slices.ContainsFunc(letters, func(l string) bool {
		return l != MutualExclusion && l != LeaseExclusion
	}) {
		return nil
	}
	return &Plain{h, o, letters, online.NewPlain(h, slices.Contains(letters, LeaseExclusion),
		cmp.Or(o.Timeout, time.Minute))}
}

// Add takes the next event in the order of time, and does not keep it. It reports whether the
// history may still be a plain one.
func (s *Plain) Add(e *history.Event) bool { return s.judge.Add(e) }

// Verdict returns the verdict on the added events, or nil if only Check can judge them.
func (s *Plain) Verdict() *Verdict {
	found, asked, r, plain := s.judge.Verdict()
	if !plain {
		return nil
	}
	v := &Verdict{Format: verdict.Format, Evidence: found,
		Expect: cmp.Or(s.options.Expect, s.header.Expect, string(Valid)), Porcupine: asked}
	v.Porcupine.Operations *= len(s.letters)
	v.Porcupine.Slices *= len(s.letters)
	why, reported := doubt(r, false, found, s.header.Requires), reported(s.options, s.header, v.Expect)
	for _, name := range s.letters {
		p := Property{Property: name, Verdict: Valid, Reported: slices.Contains(reported, name)}
		if why != "" {
			p.Verdict, p.Reason = Unknown, why
		}
		v.Properties = append(v.Properties, p)
	}
	conclude(v, r)
	return v
}
