package checker

import (
	"strings"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

// conclude draws the verdict on the whole from those on the properties. In this order: the checks
// disagree; something was violated; the harness broke; something is unknown; all is valid.
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
		v.Verdict, v.Summary = Violated, explain.Violated(violated, r.Faults)
		v.Exit = exitViolated(v)
	case r.Trust.Failure.Kind != record.NoFailure:
		v.Verdict, v.Exit, v.HarnessError = Unknown, ExitBroken, explain.Failure(&r.Trust.Failure)
		v.Summary = explain.Say("Nothing is known, because the run broke: ") + v.HarnessError + "."
	case len(unknown) > 0 || valid == 0:
		v.Verdict, v.Exit, v.Summary = Unknown, ExitUnknown, explain.Unknown(unknown)
	default:
		v.Verdict, v.Exit, v.Summary = Valid, ExitUnexpected, explain.Valid(v.Evidence)
		if v.Expect == string(Valid) {
			v.Exit = ExitExpected
		}
	}
	v.AsExpected = v.Exit == ExitExpected
}

// exitViolated is the exit code of a violation: expected letters must all be violated.
func exitViolated(v *Verdict) int {
	switch v.Expect {
	case string(Valid):
		return ExitUnexpected
	case string(Violated):
		return ExitExpected
	}
	exit := ExitExpected
	for _, letter := range Letters(v.Expect) {
		switch v.Property(letter).Verdict {
		case Violated:
		case Valid, NA:
			return ExitUnexpected
		default:
			exit = ExitUnknown
		}
	}
	return exit
}

// Letters returns the properties that an expectation such as "S,L" or "SL" names; none for
// "valid" and "violated".
func Letters(expect string) []string {
	if expect == string(Valid) || expect == string(Violated) {
		return nil
	}
	var out []string
	divides := func(r rune) bool { return r == ',' || r == ' ' }
	for _, word := range strings.FieldsFunc(expect, divides) {
		if word == Reentry || word == Validity || strings.ToUpper(word) != word {
			out = append(out, word)
			continue
		}
		out = append(out, strings.Split(word, "")...)
	}
	return out
}

// panicked is the verdict of a checker that failed.
func panicked(expect string, p any, stack []byte) *Verdict {
	return &Verdict{Format: Format, Expect: expect, Exit: ExitBroken, Verdict: Unknown,
		HarnessError: explain.Say("the checker failed: %v\n%s", p, stack),
		Summary:      explain.Say("The checker itself failed (%v), so nothing is known.", p)}
}
