package tour

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tutorial again")

// TestTheTutorialIsWhatTheTourRuns holds the pages to the steps.
func TestTheTutorialIsWhatTheTourRuns(t *testing.T) {
	for language, name := range map[string]string{"en": "../../../docs/tutorial.md",
		"zh": "../../../docs/tutorial.zh.md"} {
		var b bytes.Buffer
		if err := Markdown(&b, language); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(b.String(), string(have)); d != "" {
			t.Errorf("%s (-steps +page); go test ./internal/campaign/tour -update writes it:\n%s", name, d)
		}
	}
}

func TestEveryStepIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Steps() {
		what := strings.Join(s.Args(), " ")
		if seen[what] {
			t.Errorf("%s is there twice", what)
		}
		seen[what] = true
		for _, language := range Languages() {
			if w := s.In(language); w.Title == "" || w.See == "" {
				t.Errorf("%s says nothing in %s", what, language)
			}
		}
		if s.Name != "" && (s.Source == "" || s.Quote == "" || s.Run == "" || s.Expect == "" ||
			len(s.Flags())%2 != 0) {
			t.Errorf("the story %s has no source, quote, run or expectation", s.Name)
		}
	}
	if _, ok := Story("p1p2p3"); !ok || len(Names()) < 10 {
		t.Errorf("the stories are %q", Names())
	}
}
