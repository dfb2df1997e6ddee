package tour

import (
	"bytes"
	"flag"
	"fmt"
	"io"
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
		if err := writeMarkdown(&b, language); err != nil {
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

// writeMarkdown writes the tutorial in a language.
func writeMarkdown(w io.Writer, language string) error {
	f := frames[language]
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- written by go test ./internal/campaign/tour -update -->\n# %s\n\n%s\n",
		f.title,
		f.intro)
	for i, s := range steps() {
		t := f.words(s)
		fmt.Fprintf(&b, "\n## %d. %s\n\n", i+1, t.Title)
		if s.Quote != "" {
			source := fmt.Sprintf("[%s](%s)", s.Source, strings.TrimPrefix(s.Page(), "docs/"))
			fmt.Fprintf(&b, f.story+"\n\n> %s\n\n", source,
				strings.ReplaceAll(strings.TrimSpace(s.Quote), "\n", "\n> "))
			if t.Told != "" {
				b.WriteString(f.told)
			}
		}
		if t.Told != "" {
			fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(t.Told))
		}
		fmt.Fprintf(&b, "```\nlockbench %s\n", strings.Join(s.Args(), " "))
		if s.Name != "" {
			fmt.Fprintf(&b, "# = lockbench run %s --expect %s\n", s.Run, s.Expect)
		}
		fmt.Fprintf(&b, "```\n\n%s%s\n", f.see, strings.TrimSpace(t.See))
	}
	b.WriteString("\n" + f.end)
	_, err := io.WriteString(w, b.String())
	return err
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
