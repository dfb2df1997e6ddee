package view_test

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// TestTheQuestionIsTheChosenOne judges runs by other properties than S. The question must name
// them, and the page must say that S was not asked.
func TestTheQuestionIsTheChosenOne(t *testing.T) {
	for _, c := range []struct {
		letters                 []string
		question, word, unasked string
	}{
		{[]string{"S", "L"}, "Can two clients hold", "Yes.", ""},
		{[]string{"L"}, "Does L hold for the lock", "No.", "Not asked: S, which was violated"},
		{[]string{"V", "L"}, "Do V and L hold for", "No.", "Not asked: S, which was violated"},
		{[]string{"D"}, "Does D hold for", "Yes, in this run.", "Not asked: S, which was violated"},
	} {
		r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
		r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Properties: c.letters})
		r.Dir = "store/run"
		v := reporttest.View(t, r)
		if got := v.Question(); !strings.HasPrefix(got, c.question) {
			t.Errorf("%v: the question %q", c.letters, got)
		}
		if got := v.Answer(); got.Word != c.word {
			t.Errorf("%v: the answer %q, %q", c.letters, got.Word, got.Sentence)
		}
		got, command := v.Unasked.String(), "lockbench check --properties S store/run"
		if !strings.HasPrefix(got, c.unasked) || (got == "") != (c.unasked == "") ||
			got != "" && !strings.HasSuffix(got, command) {
			t.Errorf("%v: not asked %q", c.letters, got)
		}
	}
}

// TestALetterThatWasAskedForIsNamed: if a property that the user chose is not judged, the answer
// says so, also next to one that was judged. By default the run says nothing of it.
func TestALetterThatWasAskedForIsNamed(t *testing.T) {
	for _, c := range []struct {
		letters []string
		named   bool
	}{{[]string{"S", "F"}, true}, {[]string{"L", "F"}, true}, {nil, false}} {
		r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 40})
		r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Properties: c.letters})
		got := reporttest.View(t, r).Answer().Sentence
		if strings.Contains(got, " F is not judged: the lock gives no fencing tokens.") != c.named {
			t.Errorf("%v: %q", c.letters, got)
		}
	}
}

// TestAPortIsNotTheLibrary: a lock of lockbench that is named like a library is not accused by the
// library's name alone.
func TestAPortIsNotTheLibrary(t *testing.T) {
	for impl, want := range map[string]string{
		"redisson-fenced": "redisson-fenced (lockbench's port; the library: --adapter redisson): ",
		"getset":          "getset: ",
	} {
		r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
		r.History.Header.Impl = impl
		r.Verdict.Properties = []checker.Property{{Property: "D", Verdict: checker.Violated,
			Class: checker.MissedWake, Witness: &checker.Witness{}}}
		r.Verdict.Evidence.Starved = &verdict.Starvation{Explanation: "passed over"}
		v := reporttest.View(t, r)
		if got := view.Whose(v); !strings.Contains(got, " is a defect of "+want) {
			t.Errorf("%q", got)
		}
		if got := v.Starved(); got != "" {
			t.Errorf("no client was drawn: %q", got)
		}
	}
}
