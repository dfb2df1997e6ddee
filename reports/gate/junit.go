package gate

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/campaign/gate"
)

// The elements of a JUnit report, as Jenkins, GitLab and GitHub's actions read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string     `xml:"name,attr"`
		Classname string     `xml:"classname,attr"`
		Time      string     `xml:"time,attr"`
		Failure   *junitNote `xml:"failure"`
		Error     *junitNote `xml:"error"`
		Skipped   *junitNote `xml:"skipped"`
		SystemOut string     `xml:"system-out,omitempty"`
	}
	junitNote struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a gate's result as a JUnit report: one test case for each entry. What is not as
// expected is a failure; an entry that is unknown, broken or not possible is an error; one that is
// unknown and may be so is skipped.
func WriteJUnit(w io.Writer, r *gate.Result) error {
	suite := junitSuite{Name: legal(r.Gate.File), Time: junitTime(r.Took.D().Seconds()),
		Properties: junitProperties(r)}
	for _, e := range r.InOrder() {
		suite.add(e)
	}
	if r.Partial {
		suite.add(gate.EntryResult{Name: "the whole gate", Environment: r.Gate.Environment,
			Result: gate.Unknown,
			Claim:  "It is not complete: it was interrupted, or shards are missing."})
	}
	doc := junitSuites{
		Name: advice.Verb("gate"), Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Skipped: suite.Skipped, Time: suite.Time,
		Suites: []junitSuite{suite},
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(e gate.EntryResult) {
	c := junitCase{Name: legal(e.Name), Classname: "lockbench." + legal(e.Environment),
		Time: junitTime(e.Took().D().Seconds())}
	note := &junitNote{Message: legal(e.Claim), Type: string(e.Result), Text: legal(details(e))}
	switch e.Result {
	case gate.Passed:
		c.SystemOut = legal(e.Claim)
	case gate.Failed:
		note.Type = cmp.Or(string(e.Change), note.Type)
		c.Failure = note
		s.Failures++
	case gate.Allowed:
		c.Skipped = &junitNote{Message: note.Message}
		s.Skipped++
	default:
		c.Error = note
		s.Errors++
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

// details returns the next information that a reader of a failure wants.
func details(e gate.EntryResult) string {
	out := []string{"expected: " + e.Expect.String(), "found: " + e.Found}
	if s := e.Shown; s != nil {
		for _, x := range [][2]string{{"", s.Explanation}, {"to do: ", s.ToDo},
			{"report: ", s.Report}, {"run: ", s.Dir},
			{"again: ", s.Reproduce}, {"then: ", s.Then}, {"counterexample: ", s.Counterexample}} {
			if x[1] != "" {
				out = append(out, x[0]+x[1])
			}
		}
	}
	return strings.Join(out, "\n")
}

func junitProperties(r *gate.Result) []junitProperty {
	ps := []junitProperty{{"lockbench", r.Version}, {"environment", r.Gate.Environment},
		{"seed", fmt.Sprint(r.Gate.Seed)}, {"file", r.Gate.Digest}, {"result", string(r.Result)},
		{"summary", r.Sentence()}}
	for _, environment := range slices.Sorted(maps.Keys(r.Versions)) {
		for _, what := range slices.Sorted(maps.Keys(r.Versions[environment])) {
			if what != "lockbench" {
				ps = append(ps, junitProperty{environment + "." + what, r.Versions[environment][what]})
			}
		}
	}
	ps = append(ps, junitProperty{"page", PageFile})
	if s := r.Shard.String(); s != "" {
		ps = append(ps, junitProperty{"shard", s})
	}
	for i := range ps {
		ps[i] = junitProperty{legal(ps[i].Name), legal(ps[i].Value)}
	}
	return ps
}

func junitTime(seconds float64) string { return fmt.Sprintf("%.3f", seconds) }

// legal spells out what XML 1.0 cannot hold, and what a reader could not see or be misled by; the
// encoder escapes the rest.
func legal(s string) string {
	ok := func(r rune) bool {
		return r == '\t' || r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) &&
			r != 0xFFFE && r != 0xFFFF
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case ok(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
