package study

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
)

// TestThePagesAreWhatTheRecordsSay writes the pages of docs from the records in docs. -update
// writes the pages anew, after their wording or their layout has changed.
func TestThePagesAreWhatTheRecordsSay(t *testing.T) {
	docs := filepath.Join("../results")
	b, err := ReadBook(os.DirFS(docs))
	if err != nil {
		t.Fatal(err)
	}
	pages := b.Pages()
	if len(pages) < 20 {
		t.Errorf("%d pages", len(pages))
	}
	for _, p := range pages {
		golden.Compare(t, filepath.Join("..", docs, p.Name), p.Text)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if readme, err = Excerpt(b.Matrix, readme); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("../../../README.md"), readme)
}

// TestTheResultsAreShort counts the words of all pages of results, as wc does.
func TestTheResultsAreShort(t *testing.T) {
	const most = 60_000
	words := 0
	for _, pattern := range []string{"*.md", "*/*.md"} {
		names, err := fs.Glob(os.DirFS("../results"), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join("../results", name))
			if err != nil {
				t.Fatal(err)
			}
			words += len(strings.Fields(string(text)))
		}
	}
	if words > most {
		t.Errorf("the pages of results have %d words, of %d", words, most)
	}
}

func TestABookWithoutRecordsHasNoPages(t *testing.T) {
	b, err := ReadBook(fstest.MapFS{})
	if err != nil || len(b.Pages()) != 0 {
		t.Errorf("%v, %d pages", err, len(b.Pages()))
	}
	_, err = ReadBook(fstest.MapFS{"soak-sim.json.gz": {Data: []byte("hello")}})
	if err == nil || !strings.Contains(err.Error(), "soak-sim.json") {
		t.Errorf("a record that is none: %v", err)
	}
}

func TestProseIsWrappedAndCodeIsNot(t *testing.T) {
	var p page
	code := "`lockbench matrix --impl 'redlock per attempt' --nemesis pause,failover`"
	p.paragraph("%s %s - and +SL", strings.Repeat("word ", 18), code)
	p.items([]string{strings.Repeat("item ", 30)})
	lines := strings.Split(strings.TrimSpace(p.String()), "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[1], code+" - and") ||
		!strings.HasPrefix(lines[len(lines)-1], "  item") {
		t.Error(p.String())
	}
	for _, l := range lines {
		if len(l) > pageWidth {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
}

// TestTheShortAnswerHasEachLetter wants each letter that decides a run and was found under a fault
// to have a line, or to be named in the last one.
func TestTheShortAnswerHasEachLetter(t *testing.T) {
	b, err := ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	lines := inShort(b.Libraries)
	rest, _, _ := strings.Cut(lines[len(lines)-1], "or only reported")
	for _, l := range history.Properties() {
		row, _ := history.FindProperty(l)
		if row.Reported || where(b.Libraries, l, false) == "" || strings.Contains(rest, l+" ") ||
			strings.Contains(rest, l+",") {
			continue
		}
		if !strings.Contains(strings.Join(lines, "\n"), "("+l+")") {
			t.Errorf("%s was found, and is not in\n%s", l, strings.Join(lines, "\n"))
		}
	}
}
