package checker

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules"
	"github.com/lockbench/lockbench/internal/history"
)

// stampLimit keeps sums and multiples of stamps inside an int64; it is 36 years.
const stampLimit = int64(1) << 60

// inOrder returns the history with its events in order. It panics at stamps that cannot be
// calculated with.
func inOrder(h *history.History) *history.History {
	odd := func(e history.Event) bool { return e.T > stampLimit || e.T < -stampLimit }
	if slices.ContainsFunc(h.Events, odd) {
		panic(explain.Say("a stamp is beyond 36 years"))
	}
	s := &history.History{Header: h.Header, Events: h.Events}
	sorted := slices.IsSortedFunc(h.Events, func(a, b history.Event) int {
		if a.T > b.T && a.Type != history.End && b.Type != history.End {
			return 1
		}
		return 0
	})
	if !sorted {
		s.Events = slices.Clone(h.Events)
		s.Sort()
	}
	return s
}

// asked returns the names of the properties or the model to judge.
func asked(o Options, all *history.History) []string {
	switch h := &all.Header; {
	case o.Model != "":
		return []string{o.Model}
	case len(o.Properties) > 0:
		return o.Properties
	case len(h.Properties) > 0:
		return h.Properties
	case h.Environment == "" && slices.ContainsFunc(all.Events, hasToken):
		return []string{"mutex", "fencing"}
	case h.Environment == "":
		return []string{"mutex"} // an imported history says nothing of leases
	}
	return []string{MutualExclusion, LeaseExclusion}
}

// hasToken reports whether an event is a grant with a fencing token.
func hasToken(e history.Event) bool { return e.Grant != nil && e.Grant.Token > 0 }

// reported returns the properties that do not decide the run: the header says so, and neither the
// caller nor the expectation names them.
func reported(o Options, h history.Header, expect string) []string {
	if o.Model != "" || len(o.Properties) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(h.Reported), history.ParseExpectation(expect).Names)
}

// judge adds the verdict on each property. If the record is in doubt, no verdict is valid. A
// register has its own rule of evidence, in rules.Case.
func judge(v *Verdict, c *rules.Case, properties, reported []string, damage, doubt string) {
	for _, name := range properties {
		p := c.Judge(name)
		p.Reported = slices.Contains(reported, name) && !p.Decides
		why := doubt
		if name == "register" {
			why = damage
		}
		if p.Verdict == Valid && why != "" {
			p.Verdict, p.Reason = Unknown, why
		}
		v.Properties = append(v.Properties, p)
	}
	agree(v)
}

// agree turns a valid O into unknown if the class of another violation is ReleasedByNonOwner.
func agree(v *Verdict) {
	for i := range v.Properties {
		p := &v.Properties[i]
		if p.Property == OwnerRelease && p.Verdict == Valid && slices.ContainsFunc(v.Properties,
			func(x Property) bool { return x.Verdict == Violated && x.Class == ReleasedByNonOwner }) {
			p.Verdict, p.Reason = Unknown, explain.DoubtfulDeletion()
		}
	}
}

// damage says why a record does not tell all that happened, or "".
func damage(c *record.Record, partial bool) string {
	t := &c.Trust
	switch {
	case t.Failure.Kind == record.SelfEnded:
		return explain.Failure(&t.Failure)
	case t.Failure.Kind != record.NoFailure:
		return explain.Say("the run broke: ") + explain.Failure(&t.Failure)
	case partial:
		return explain.Say("only a part of the record could be read")
	case t.Interrupted:
		return explain.Say("the run was interrupted before it was over")
	}
	return ""
}

// doubt says why a clean history proves nothing, or "".
func doubt(c *record.Record, partial bool, e Evidence, r history.Requires) string {
	damage, t := damage(c, partial), &c.Trust
	switch {
	case damage != "":
		return damage
	case e.Acquisitions == 0:
		return explain.NothingTried(c.Calls)
	case len(e.Untouched) > 0:
		return explain.UntracedKey(e.Untouched[0])
	case t.Undone != nil:
		return explain.Undone(t.Undone)
	}
	return explain.Missing(e, r)
}
