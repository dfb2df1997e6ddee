package checker

import (
	"strings"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

// conclude draws the verdict on the whole from those on the properties. In this order: the checks
// disagree; something was violated; the harness broke; something is unknown; all is valid.
func (c *check) conclude() {
	v := c.verdict
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
		v.Verdict, v.Summary = Violated, c.violatedSummary(violated)
		v.Exit = c.exitViolated()
	case c.trust.Failure.Kind != record.NoFailure:
		v.Verdict, v.Exit, v.HarnessError = Unknown, ExitBroken, failureWords(&c.trust.Failure)
		v.Summary = explain.Say("Nothing is known, because the run broke: ") + v.HarnessError + "."
	case len(unknown) > 0 || valid == 0:
		v.Verdict, v.Exit, v.Summary = Unknown, ExitUnknown, unknownSummary(unknown)
	default:
		v.Verdict, v.Exit, v.Summary = Valid, ExitUnexpected, c.validSummary()
		if v.Expect == string(Valid) {
			v.Exit = ExitExpected
		}
	}
	v.AsExpected = v.Exit == ExitExpected
}

// exitViolated is the exit code of a violation: expected letters must all be violated.
func (c *check) exitViolated() int {
	switch c.verdict.Expect {
	case string(Valid):
		return ExitUnexpected
	case string(Violated):
		return ExitExpected
	}
	exit := ExitExpected
	for _, letter := range Letters(c.verdict.Expect) {
		switch c.verdict.Property(letter).Verdict {
		case Violated:
		case Valid, NA:
			return ExitUnexpected
		default:
			exit = ExitUnknown
		}
	}
	return exit
}

// Properties returns the properties that an expectation such as "S,L" or "SL" names; none for
// "valid" and "violated".
func Letters(expect string) []string {
	if expect == string(Valid) || expect == string(Violated) {
		return nil
	}
	var out []string
	for _, word := range strings.FieldsFunc(expect, func(r rune) bool {
		return r == ',' ||
			r == ' '
	}) {
		if word == Reentry || word == Validity || strings.ToUpper(word) != word {
			out = append(out, word)
			continue
		}
		out = append(out, strings.Split(word, "")...)
	}
	return out
}
