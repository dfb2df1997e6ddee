package checker

import (
	"os"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestFormatsPage reads the example of verdict.json on the page that all parts share.
func TestFormatsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "## verdict.json")
	_, after, _ = strings.Cut(after, "```json\n")
	example, _, _ := strings.Cut(after, "\n```")
	v, err := Read(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if p := v.Property("L"); p.Verdict != Violated || p.Assumption != "durability" ||
		v.Evidence.AfterFailover != 5 || len(v.Property("S").Witness.Holds) != 2 {
		t.Errorf("%+v", v)
	}
}

func TestPartialIsNeverValid(t *testing.T) {
	h := story(t, "c0 acquire 1 5; c0 release 10 12")
	if v := Check(h, nil, Options{Partial: true}); v.Verdict != Unknown || v.Exit != ExitUnknown {
		t.Errorf("%s, exit %d", v.Verdict, v.Exit)
	}
	h = story(t, "c0 acquire 1 5; c1 acquire 6 8; c0 release 10 12; c1 release 13 14")
	if v := Check(h, nil, Options{Partial: true}); v.Verdict != Violated {
		t.Errorf("%s: %s", v.Verdict, v.Summary)
	}
}

func TestLetters(t *testing.T) {
	for expect, want := range map[string]string{"valid": "", "violated": "", "S": "S", "S,L": "S L",
		"SLO": "S L O", "S, E": "S E", "mutex": "mutex", "exactly:S,L": "S L"} {
		if got := strings.Join(history.ParseExpectation(expect).Letters, " "); got != want {
			t.Errorf("%q: %q, want %q", expect, got, want)
		}
	}
}
