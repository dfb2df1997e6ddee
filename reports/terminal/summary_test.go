package terminal

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
	"pgregory.net/rapid"
)

func TestSummary(t *testing.T) {
	for name, s := range map[string]reporttest.Scene{
		"violated": {Clients: 4, Cycles: 14, Fail: true}, "valid": {Clients: 4, Cycles: 40}, "unknown": {
			Clients: 4, Cycles: 3},
	} {
		r := reporttest.NewRun(t, s)
		// the only things that differ from run to run
		r.Verdict.Porcupine.Took, r.Verdict.Porcupine.Version = 210e3, "v1.3.1"
		for i := range r.Verdict.Properties {
			r.Verdict.Properties[i].Explanation =
				"Client 0 was granted lock 0 by n0 at 0.061 s; the rest of these words is the checker's " +
					"to write and to test, and is as long as this so that lines are wrapped."
		}
		var plain, coloured, screen bytes.Buffer
		verbose := Extra{Verbose: true, Report: "store/report.html"}
		if err := Summary(&plain, reporttest.View(t, r), Look{}, verbose); err != nil {
			t.Fatal(err)
		}
		if err := Summary(&coloured, reporttest.View(t, r), Look{Color: true}, verbose); err != nil {
			t.Fatal(err)
		}
		if err := Summary(&screen, reporttest.View(t, r), Look{},
			Extra{Report: "store/report.html"}); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "summary-"+name+".txt", plain.String())
		golden.Compare(t, "screen-"+name+".txt", screen.String())
		if uncoloured(coloured.String()) != plain.String() {
			t.Errorf("%s: colour changes the words", name)
		}
	}
}

// TestTheFirstScreen counts the lines of a violation whose story and remedy are long.
func TestTheFirstScreen(t *testing.T) {
	long := strings.Repeat("Each of these sentences is a part of it. ", 40)
	remedy := hint.Remedy{Do: "Change it", Code: []string{"one", "two", "three"},
		Shown: "Then it holds",
		Why:   []string{"Since it is so."}, Rest: []string{"Something remains."},
		Command: advice.Command{Line: "lockbench run" + strings.Repeat(" --flag value", 9)}}
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
	v := reporttest.View(t, r)
	v.Violations[0].Told = []string{long}
	for _, width := range []int{60, 100} {
		var out bytes.Buffer
		if err := Summary(&out, v, Look{Width: width}, Extra{Remedy: remedy,
			Report: "report.html"}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if width == 100 && len(lines) > tallest {
			t.Errorf("%d lines:\n%s", len(lines), &out)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > width {
				t.Errorf("more than %d columns: %s", width, l)
			}
		}
		if !strings.Contains(out.String(), " \\\n") {
			t.Errorf("the command does not go on in a second line:\n%s", &out)
		}
	}
}

// TestAStoryIsCut at the end of a sentence, or of a word, and says so.
func TestAStoryIsCut(t *testing.T) {
	const two = "One thing happened at 0.001 s. Another thing happened."
	if got := shorter(two); got != "One thing happened at 0.001 s."+more {
		t.Error(got)
	}
	if got := shorter(shorter(two)); got != "One thing happened at 0.001"+more {
		t.Error(got)
	}
	if got := shorter("word"); got != more {
		t.Error(got)
	}
}

// TestAHoldWithoutAnEnd is one of an imported history that no client is known to have released.
func TestAHoldWithoutAnEnd(t *testing.T) {
	var w terminal
	w.witness(&history.Header{}, &view.Violation{Holds: []checker.Hold{
		{Process: 2, N: 1, From: 2e6, To: math.MaxInt64}, {Process: 3, N: 1, From: 3e6, To: 5e6}}})
	const want = "client 2 inside from 0.002 s on, without an end\n" +
		"        client 3 inside from 0.003 s to 0.005 s\n"
	if got := w.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at the end", got, want)
	}
}

func uncoloured(s string) string {
	var b bytes.Buffer
	esc := false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TestWrappingLosesNoWord wraps texts: no line is wider than the terminal.
func TestWrappingLosesNoWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé锁]{1,30}`), 0, 60).Draw(t, "words")
		width := rapid.IntRange(20, 150).Draw(t, "width")
		w := &terminal{Look: Look{Color: true, Width: width}}
		w.wrap(w.paint(bold, "Lead: "), strings.Join(words, " "), 6)
		out := uncoloured(w.String())
		if got := strings.Fields(strings.TrimPrefix(out, "Lead: ")); !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(line) - 1; n > min(max(width, narrowest), widest) {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}

// TestALetterThatWasNamedIsOnTheScreen: the screen of a violation and that of a valid run name a
// property that the user named and that could not be judged. By default they do not.
func TestALetterThatWasNamedIsOnTheScreen(t *testing.T) {
	for _, c := range []struct {
		letters []string
		fail    bool
		named   bool
	}{{[]string{"S", "F"}, true, true}, {[]string{"S", "F"}, false, true}, {nil, true, false}} {
		r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: c.fail})
		r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Properties: c.letters})
		var b bytes.Buffer
		if err := Summary(&b, reporttest.View(t, r), Look{}, Extra{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "F not judged") != c.named {
			t.Errorf("%v:\n%s", c.letters, &b)
		}
	}
}
