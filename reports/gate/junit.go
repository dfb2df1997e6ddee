package gate

import (
	"cmp"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/campaign/gate"
)

//go:embed junit.xml.tmpl
var junitXML string

var junitTemplate = template.Must(template.New("junit").Funcs(template.FuncMap{
	"x": legal, "details": details,
}).Parse(junitXML))

// junitCase is an entry as a test case. Kind is the element that says why it did not pass, or "".
type junitCase struct {
	gate.EntryResult
	Kind, Type string
}

// WriteJUnit writes a gate's result as a JUnit report, as Jenkins, GitLab and GitHub's actions read
// it: one test case for each entry. What is not as expected is a failure; an entry that is unknown,
// broken or not possible is an error; one that is unknown and may be so is skipped.
func WriteJUnit(w io.Writer, r *gate.Result) error {
	entries := r.InOrder()
	if r.Partial {
		entries = append(entries, gate.EntryResult{Name: "the whole gate",
			Environment: r.Gate.Environment, Result: gate.Unknown,
			Claim: "It is not complete: it was interrupted, or shards are missing."})
	}
	kinds := map[string]int{"failure": 0, "error": 0, "skipped": 0}
	var cases []junitCase
	for _, e := range entries {
		c := junitCase{e, "error", string(e.Result)}
		switch e.Result {
		case gate.Passed:
			c.Kind = ""
		case gate.Failed:
			c.Kind, c.Type = "failure", cmp.Or(string(e.Change), c.Type)
		case gate.Allowed:
			c.Kind = "skipped"
		}
		kinds[c.Kind]++
		cases = append(cases, c)
	}
	return junitTemplate.Execute(w, struct {
		*gate.Result
		Verb       string
		Kinds      map[string]int
		Properties [][2]string
		Cases      []junitCase
	}{r, advice.Verb("gate"), kinds, junitProperties(r), cases})
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

func junitProperties(r *gate.Result) [][2]string {
	ps := [][2]string{{"lockbench", r.Version}, {"environment", r.Gate.Environment},
		{"seed", fmt.Sprint(r.Gate.Seed)}, {"file", r.Gate.Digest}, {"result", string(r.Result)},
		{"summary", r.Sentence()}}
	for _, environment := range slices.Sorted(maps.Keys(r.Versions)) {
		for _, what := range slices.Sorted(maps.Keys(r.Versions[environment])) {
			if what != "lockbench" {
				ps = append(ps, [2]string{environment + "." + what, r.Versions[environment][what]})
			}
		}
	}
	ps = append(ps, [2]string{"page", PageFile})
	if s := r.Shard.String(); s != "" {
		ps = append(ps, [2]string{"shard", s})
	}
	return ps
}

// legal escapes a text for XML. It spells out what XML 1.0 cannot hold, and what a reader could not
// see or be misled by.
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
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(b.String())) // a Builder never fails
	return out.String()
}
