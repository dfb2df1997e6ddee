package checker

import (
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// check is one judgement on its way.
type check struct {
	history *history.History
	trace   *trace.Trace
	options Options
	record  *record.Record
	trust   record.Trust
	faults  []record.Fault
	verdict *Verdict

	doubtful string // why nothing that is clean may be called valid
}

func (c *check) panicked(p any, stack []byte) *Verdict {
	v := &Verdict{Format: Format, Expect: c.verdict.Expect, Exit: ExitBroken, Verdict: Unknown}
	v.HarnessError = explain.Say("the checker failed: %v\n%s", p, stack)
	v.Summary = explain.Say("The checker itself failed (%v), so nothing is known.", p)
	return v
}

// stampLimit keeps sums and multiples of stamps inside an int64; it is 36 years.
const stampLimit = int64(1) << 60

func (c *check) run(commands []history.Command) {
	c.history = sane(c.history)
	c.record = record.Of(c.history)
	c.trace = trace.New(c.history.Header, c.record, commands)
	c.trust, c.faults = c.record.Trust, c.record.Faults
	c.verdict.Evidence = c.evidence()
	c.doubtful = c.doubt()
	if c.options.Timeout == 0 {
		c.options.Timeout = time.Minute
	}
	for _, name := range c.properties() {
		c.judge(name)
	}
	c.conclude()
}

// sane returns the history with its events in order and without stamps that cannot be calculated
// with.
func sane(h *history.History) *history.History {
	s := &history.History{Header: h.Header, Events: h.Events}
	odd := func(e history.Event) bool { return e.T > stampLimit || e.T < -stampLimit }
	if slices.ContainsFunc(h.Events, odd) {
		panic(explain.Say("a stamp is beyond 36 years"))
	}
	inOrder := slices.IsSortedFunc(h.Events, func(a, b history.Event) int {
		if a.T > b.T && a.Type != history.End && b.Type != history.End {
			return 1
		}
		return 0
	})
	if !inOrder {
		s.Events = slices.Clone(h.Events)
		s.Sort()
	}
	return s
}

// properties returns what is to be judged.
func (c *check) properties() []string {
	switch {
	case c.options.Model != "":
		return []string{c.options.Model}
	case len(c.options.Properties) > 0:
		return c.options.Properties
	case len(c.history.Header.Properties) > 0:
		return c.history.Header.Properties
	case c.history.Header.Environment == "":
		return []string{"mutex"} // an imported history says nothing of leases
	}
	return []string{MutualExclusion, LeaseExclusion}
}

// doubt says why a clean history proves nothing, or "".
func (c *check) doubt() string {
	switch {
	case c.trust.Failure.Kind != record.NoFailure:
		return explain.Say("the run broke: ") + failureWords(&c.trust.Failure)
	case c.options.Partial:
		return explain.Say("only a part of the record could be read")
	case c.trust.Interrupted:
		return explain.Say("the record has no end: the run was interrupted")
	case c.verdict.Evidence.Acquisitions == 0:
		return explain.Say("no client acquired the lock, so nothing was tried")
	}
	return missing(c.verdict.Evidence, c.history.Header.Requires)
}

// judge judges one property and adds it to the verdict.
func (c *check) judge(name string) {
	var p Property
	switch name {
	case MutualExclusion:
		p = c.exclusion(record.UntilRelease)
	case LeaseExclusion:
		p = c.exclusion(record.WhileLeased)
	case Validity:
		p = c.exclusion(record.AsDeclared)
	case OwnerRelease:
		p = c.owner()
	case Orphan:
		p = c.orphan()
	case Deadlock:
		p = c.deadlock()
	case Fencing, "fencing":
		p = c.fencing()
	case LostUpdate:
		p = c.updates()
	case Reentry:
		p = c.reentry()
	case "mutex":
		p = c.mutex()
	case "lease":
		p = c.lease()
	case "reentrant":
		p = c.reentrant()
	case "register":
		p = c.register()
	default:
		p = Property{Reason: explain.Say("the checker cannot judge %q", name)}
	}
	p.Property = name
	if p.Verdict == Valid && c.doubtful != "" {
		p.Verdict, p.Reason = Unknown, c.doubtful
	}
	c.verdict.Properties = append(c.verdict.Properties, p)
}

// exclusion judges that the sure holds of each key are disjoint, by one exclusion rule.
func (c *check) exclusion(b record.ExclusionRule) Property {
	if p, skip := c.promised(b); skip {
		return p
	}
	p := Property{Verdict: Valid}
	all := c.record.Spans(b, c.trust.Cut)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		ss := all[key]
		_, _, fast := record.FirstOverlap(ss)
		r := linear.Mutex(linear.SpanOps(c.record, ss), c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, true, fast, func() Property {
			c.picture(r.Failing, func(token int32) string {
				h := &c.record.Holds[ss[token-1].Hold]
				return linear.Name{Process: h.Process, N: h.N}.String()
			})
			return c.explain(b, key, ss)
		}))
	}
	return p
}

// promised reports whether a lock promises nothing that an exclusion rule could break, or the
// record does not say when.
func (c *check) promised(b record.ExclusionRule) (Property, bool) {
	d := c.history.Header.Declares
	switch {
	case b == record.AsDeclared && !d.Validity && !d.Loss:
		return Property{
			Verdict: NA, Reason: explain.Say("the lock says nothing of how long a hold is good")}, true
	case b == record.WhileLeased && c.record.WithoutLease > 0:
		return Property{Reason: explain.Say("%d grants do not say how long their lease is",
			c.record.WithoutLease)}, true
	}
	return Property{}, false
}
