package checker

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// conclude draws the verdict on the whole from those on the properties. In this order: the checks
// disagree; something was violated; the lock ended its process; the harness broke; something is
// unknown; all is valid.
func conclude(v *Verdict, r *record.Record) {
	var violated, unknown []Property
	valid := 0
	for _, p := range v.Properties {
		switch {
		case p.Reported:
		case p.Verdict == Violated:
			violated = append(violated, p)
		case p.Verdict == Unknown || p.Verdict == "":
			unknown = append(unknown, p)
		case p.Verdict == Valid:
			valid++
		}
	}
	switch {
	case v.HarnessError != "":
		v.Verdict, v.Exit, v.Summary = Unknown, ExitBroken,
			explain.Say("The checker contradicts itself, so nothing is known: ")+v.HarnessError+"."
	case len(violated) > 0:
		slices.SortStableFunc(violated, verdict.ByRank)
		v.Verdict, v.Summary = Violated, explain.Violated(violated, r.Faults)
		v.Exit = exitViolated(v)
	case r.Trust.Failure.Kind == record.SelfEnded:
		v.Verdict, v.Exit = Unknown, ExitUnknown
		v.Summary = explain.Say("Nothing is known, because ") + explain.Failure(&r.Trust.Failure) + "."
	case r.Trust.Failure.Kind != record.NoFailure:
		v.Verdict, v.Exit, v.HarnessError = Unknown, ExitBroken, explain.Failure(&r.Trust.Failure)
		v.Summary = explain.Say("Nothing is known, because the run broke: ") + v.HarnessError + "."
	case len(unknown) > 0:
		v.Verdict, v.Exit, v.Summary = Unknown, ExitUnknown, explain.Unknown(unknown)
	case valid == 0:
		v.Verdict, v.Exit, v.Summary = Unknown, ExitUnknown, explain.ListUnjudged(v.Properties)
	default:
		v.Verdict, v.Exit, v.Summary = Valid, ExitUnexpected, explain.Valid(v.Evidence, v.Violated(true))
		if v.Expect == string(Valid) {
			v.Exit = ExitExpected
		}
	}
	if v.Exit != ExitBroken && history.ParseExpectation(v.Expect).Starved {
		v.Exit = exitStarved(v, len(r.Clients))
	}
	v.AsExpected = v.Exit == ExitExpected
}

// exitStarved returns the exit code if one of some clients is expected to starve.
func exitStarved(v *Verdict, clients int) int {
	switch {
	case v.Evidence.Starved != nil:
		return ExitExpected
	case v.Verdict == Violated:
		return ExitUnexpected
	case v.Verdict == Unknown || !rules.MayShowStarvation(clients, v.Evidence.Acquisitions):
		return ExitUnknown
	}
	return ExitUnexpected
}

// exitViolated returns the exit code of a violation. All expected letters must be violated. If the
// expectation is exact, no other letter that decides the run may be violated. An unknown letter
// leaves the answer open.
func exitViolated(v *Verdict) int {
	expect := history.ParseExpectation(v.Expect)
	if expect.Valid {
		return ExitUnexpected
	}
	exit := ExitExpected
	for _, letter := range expect.Letters {
		switch v.Property(letter).Verdict {
		case Violated:
		case Valid, NA:
			return ExitUnexpected
		default:
			exit = ExitUnknown
		}
	}
	for _, p := range v.Properties {
		switch {
		case !expect.Exactly || p.Reported || expect.Names(p.Property):
		case p.Verdict == Violated:
			return ExitUnexpected
		case p.Verdict == Unknown || p.Verdict == "":
			exit = ExitUnknown
		}
	}
	return exit
}

// panicked returns the verdict of a checker that failed.
func panicked(expect string, p any, stack []byte) *Verdict {
	return &Verdict{Format: Format, Expect: expect, Exit: ExitBroken, Verdict: Unknown,
		HarnessError: explain.Say("the checker failed: %v\n%s", p, stack),
		Summary:      explain.Say("The checker itself failed (%v), so nothing is known.", p)}
}
