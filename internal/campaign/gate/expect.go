package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Expectation is what a gate expects of an entry: "safe", "violates", "violates S", "violates S,L
// within 30 s", or "violates exactly:S,L".
type Expectation struct {
	Violates   bool
	Properties []string // that each run must violate; if empty, any will do
	Exactly    bool     // no other property that decides the run may be violated
	// the time limit of a search, which repeats runs until one violates; 0 means that every run must
	// violate
	Within history.Duration

	// the text of a snapshot; Entry.Found is used for the comparison
	Snapshot string
}

// ParseExpectation parses an expectation. The error explains the syntax.
func ParseExpectation(text string) (e Expectation, err error) {
	words := strings.Fields(text)
	switch {
	case len(words) == 1 && words[0] == "safe":
		return e, nil
	case strings.HasPrefix(text, asFound):
		e.Snapshot = strings.TrimPrefix(text, asFound)
		return e, nil
	case len(words) == 0 || words[0] != "violates":
		return e,
			fmt.Errorf(`%q is not an expectation; write "safe", "violates S" or "violates S within 30 s"`, text)
	}
	e.Violates = true
	rest := words[1:]
	if i := slices.Index(rest, "within"); i >= 0 {
		if e.Within, err = duration(rest[i+1:]); err != nil {
			return e, err
		}
		rest = rest[:i]
	}
	if len(rest) == 0 {
		return e, nil
	}
	said := history.ParseExpectation(strings.Join(rest, ","))
	e.Properties, e.Exactly = said.Letters, said.Exactly
	if len(e.Properties) == 0 || harness.Judgeable(e.Properties) != nil {
		return e, fmt.Errorf(`%q names no property; write letters such as "violates S" or "violates S,L"`,
			strings.Join(rest, " "))
	}
	return e, nil
}

// asFound is the prefix of an expectation that is a snapshot.
const asFound = "as found: "

// duration parses "30 s", "30s" and "1m30s".
func duration(words []string) (history.Duration, error) {
	d, err := time.ParseDuration(strings.Join(words, ""))
	if err != nil || d <= 0 {
		return 0, fmt.Errorf(`after "within" comes a time such as 30 s, not %q`, strings.Join(words, " "))
	}
	return history.Duration(d), nil
}

// String returns the text that ParseExpectation reads.
func (e Expectation) String() string {
	switch {
	case e.Snapshot != "":
		return asFound + e.Snapshot
	case !e.Violates:
		return "safe"
	}
	s := "violates"
	if len(e.Properties) > 0 {
		s += " " + e.Plan()
	}
	if e.Within > 0 {
		s += " within " + brief(e.Within)
	}
	return s
}

// brief formats 1m0s as 1m.
func brief(d history.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// Plan returns the expectation as a plan writes it.
func (e Expectation) Plan() string {
	switch {
	case !e.Violates:
		return string(checker.Valid)
	case len(e.Properties) == 0:
		return string(checker.Violated)
	}
	return history.Expectation{Letters: e.Properties, Exactly: e.Exactly}.String()
}

// MarshalText returns String.
func (e Expectation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (e *Expectation) UnmarshalText(b []byte) (err error) {
	*e, err = ParseExpectation(string(b))
	return err
}

// judge returns Valid if a run meets the expectation, Violated if it does not, and Unknown if the
// run does not show it.
func (e Expectation) judge(f batch.Finding) checker.Result {
	switch {
	case !e.Violates && f.Verdict == checker.Violated:
		return checker.Violated
	case !e.Violates:
		return sure(f.HarnessError == "" && f.Verdict == checker.Valid, checker.Valid)
	case len(e.Properties) == 0 && f.Verdict == checker.Violated:
		return checker.Valid
	case len(e.Properties) == 0:
		return sure(f.HarnessError == "" && f.Verdict == checker.Valid, checker.Violated)
	}
	return e.lettersMet(f)
}

func (e Expectation) lettersMet(f batch.Finding) checker.Result {
	met := checker.Valid
	for _, l := range e.Properties {
		switch r := f.Properties[l]; {
		case r == checker.Violated:
		case f.HarnessError == "" && (r == checker.Valid || r == checker.NA):
			return checker.Violated
		default:
			met = checker.Unknown
		}
	}
	for l, r := range f.Properties {
		switch {
		case !e.Exactly || slices.Contains(e.Properties, l) || slices.Contains(f.Reported, l):
		case r == checker.Violated:
			return checker.Violated
		case r != checker.Valid && r != checker.NA:
			met = checker.Unknown
		}
	}
	return met
}

func sure(known bool, r checker.Result) checker.Result {
	if known {
		return r
	}
	return checker.Unknown
}
