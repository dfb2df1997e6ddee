package gate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// gateResult has an entry of each outcome.
func gateResult() *gate.Result {
	expect := func(s string) gate.Expectation {
		e, err := gate.ParseExpectation(s)
		if err != nil {
			panic(err)
		}
		return e
	}
	entry := func(name string, o gate.Outcome, ex, found, claim string) gate.EntryResult {
		return gate.EntryResult{
			Name: name, Environment: "sim", Title: "lock under fault", Expect: expect(ex), Result: o,
			Found: found, Claim: claim, Planned: 1,
			Runs: []gate.Run{{Seed: 1, Repeat: 1, Finding: batch.Finding{Verdict: checker.Valid},
				Took: history.Duration(1500 * time.Millisecond)}},
		}
	}
	failed := entry(reporttest.Nasty, gate.Failed, "safe", "violates S",
		"S violated in 1 of 1 run: "+reporttest.Nasty)
	failed.Shown = &gate.Shown{
		Seed: 1, Dir: "runs/02-x/seed-1", Report: "runs/02-x/seed-1/report.html",
		Reproduce:      "lockbench run --plan 'a b'/plan.json",
		Counterexample: "runs/02-x/seed-1/counterexample.yaml", Explanation: "Client 0 was " +
			"granted lock " +
			reporttest.Nasty,
	}
	return &gate.Result{
		Format: 1, Version: "v1.2.3", Took: history.Duration(9 * time.Second), Result: gate.Failed,
		Exit: 1, Machine: "linux/amd64, 2 CPUs",
		Gate: gate.File{File: "ci/lockbench.yaml", Digest: "sha256:00", Environment: "sim", Seed: 7,
			Entries: make([]gate.Entry, 7)},
		Versions: map[string]map[string]string{"sim": {"redis": "simulated 7.0.15",
			"lockbench": "v1.2.3"}},
		Entries: []gate.EntryResult{
			entry("a good lock", gate.Passed, "safe", "valid", "No violation of S, L in 3 runs."), failed,
			entry("nobody knows", gate.Unknown, "violates S within 30 s", "unknown",
				"Nobody can tell in 1 of 1 run."),
			entry("nobody has to", gate.Allowed, "safe", "unknown", "Nobody can tell in 1 of 1 run."),
			entry("not here", gate.Refused, "safe", "refused", "It cannot be run like this: no clock."),
			entry("broken", gate.Broken, "safe", "broke", "1 of 1 run broke: no room."),
		},
	}
}

// TestGoldenGate pins what pipelines and people read.
func TestGoldenGate(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *gate.Result) error{
		"junit.xml": WriteJUnit, "gate-summary.md": WriteSummary, "gate.html": WritePage,
		"annotations.txt": WriteAnnotations} {
		var b bytes.Buffer
		if err := write(&b, gateResult()); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, name, b.String())
	}
}

// junitShape is the usual schema: for each element its children and its attributes, those that must
// be there marked with "!".
var junitShape = map[string]struct{ children, attributes []string }{
	"testsuites": {[]string{"testsuite"}, []string{"!name", "!tests", "!failures", "!errors",
		"skipped", "!time"}},
	"testsuite": {[]string{"properties", "testcase", "system-out", "system-err"},
		[]string{"!name", "!tests", "!failures", "!errors", "skipped", "time", "timestamp", "hostname",
			"id", "package"}},
	"properties": {[]string{"property"}, nil},
	"property":   {nil, []string{"!name", "!value"}},
	"testcase": {[]string{"failure", "error", "skipped", "system-out", "system-err"},
		[]string{"!name", "!classname", "time", "status", "assertions"}},
	"failure":    {nil, []string{"message", "type"}},
	"error":      {nil, []string{"message", "type"}},
	"skipped":    {nil, []string{"message"}},
	"system-out": {nil, nil},
}

// TestAnAcceptedDefectIsYellow wants a gate that passed with a deadlock not to look like one that
// passed.
func TestAnAcceptedDefectIsYellow(t *testing.T) {
	r := gateResult()
	r.Entries, r.Result, r.Exit = r.Entries[:1], gate.Passed, 0
	for _, accepted := range [][]string{nil, {"D"}} {
		r.Entries[0].Accepted = accepted
		var summary, page bytes.Buffer
		if err := errors.Join(WriteSummary(&summary, r), WritePage(&page, r)); err != nil {
			t.Fatal(err)
		}
		yellow := accepted != nil
		if strings.HasPrefix(summary.String(), "## ⚠️ ") != yellow ||
			strings.Contains(summary.String(), "accepts (D)") != yellow ||
			strings.Contains(page.String(), `<strong class="unknown">passed`) != yellow ||
			strings.Contains(page.String(), `passed with a defect: D`) != yellow {
			t.Errorf("with %v:\n%s", accepted, summary.String())
		}
	}
}

// TestJUnitHasTheUsualShape walks the report by the schema that CI servers read it by, and counts.
func TestJUnitHasTheUsualShape(t *testing.T) {
	r := gateResult()
	r.Partial = true
	var b bytes.Buffer
	if err := WriteJUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var open []string
	counts, said := map[string]int{}, map[string]string{}
	dec := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			shape, known := junitShape[name]
			if !known || len(open) == 0 && name != "testsuites" || len(open) > 0 &&
				!slices.Contains(junitShape[open[len(open)-1]].children, name) {
				t.Errorf("%s is in %v", name, open)
			}
			wellDressed(t, tok, shape.attributes)
			counts[name]++
			if name == "testsuite" {
				for _, a := range tok.Attr {
					said[a.Name.Local] = a.Value
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	for attribute, n := range map[string]int{"tests": counts["testcase"],
		"failures": counts["failure"], "errors": counts["error"], "skipped": counts["skipped"]} {
		if said[attribute] != strconv.Itoa(n) || n == 0 {
			t.Errorf("%s is %s, and there are %d", attribute, said[attribute], n)
		}
	}
	if counts["testcase"] != 7 || strings.Contains(b.String(), "<script") {
		t.Errorf("%d test cases:\n%s", counts["testcase"], b.String())
	}
}

func wellDressed(t *testing.T, e xml.StartElement, allowed []string) {
	t.Helper()
	for _, a := range allowed {
		if must, ok := strings.CutPrefix(a, "!"); ok &&
			!slices.ContainsFunc(e.Attr, func(x xml.Attr) bool { return x.Name.Local == must }) {
			t.Errorf("%s has no %s", e.Name.Local, must)
		}
	}
	for _, x := range e.Attr {
		if !slices.Contains(allowed, x.Name.Local) && !slices.Contains(allowed, "!"+x.Name.Local) {
			t.Errorf("%s has %s", e.Name.Local, x.Name.Local)
		}
		if x.Name.Local == "time" {
			if _, err := strconv.ParseFloat(x.Value, 64); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTheSummaryStaysWhereItIsPut wants a text that a forge takes, from which no foreign word gets
// out.
func TestTheSummaryStaysWhereItIsPut(t *testing.T) {
	r := gateResult()
	for i := range 3000 {
		e := r.Entries[i%6]
		e.Name = fmt.Sprintf("%s %d", e.Name, i)
		r.Entries = append(r.Entries, e)
	}
	var b bytes.Buffer
	if err := WriteSummary(&b, r); err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(b.String())); n > 65_536 {
		t.Errorf("%d characters; GitHub takes 65,536", n)
	}
	if !strings.Contains(b.String(), "more entries are in gate.json") ||
		!strings.Contains(b.String(), "### ❌ **failed**") {
		t.Error("a long summary must say what it leaves out, and the failures come first")
	}
	fence := false
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "```") {
			fence = !fence
			continue
		}
		if !fence && strings.ContainsAny(outsideCode(line), "@<") {
			t.Fatalf("foreign text is markup: %s", line)
		}
	}
}

// outsideCode is a line without its code spans, read as GitHub reads it.
func outsideCode(line string) string {
	var out strings.Builder
	for line != "" {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			break
		}
		out.WriteString(line[:i])
		rest := strings.TrimLeft(line[i:], "`")
		fence := line[i : len(line)-len(rest)]
		end := closing(rest, len(fence))
		if end < 0 {
			out.WriteString(fence)
			line = rest
			continue
		}
		line = rest[end+len(fence):]
	}
	return out.String() + line
}

// closing is where a run of exactly n backticks begins.
func closing(s string, n int) int {
	for i := 0; i < len(s); i++ {
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}
