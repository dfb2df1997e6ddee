package view_test

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/reports/reporttest"
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
