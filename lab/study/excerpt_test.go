package study

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

func TestTheExcerptStandsBetweenItsMarks(t *testing.T) {
	m, err := matrix.New(matrix.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := "before\n" + excerptBegin + "old\n" + excerptEnd + "after\n"
	got, err := Excerpt(m, []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	s := string(got)
	if !strings.HasPrefix(s, "before\n"+excerptBegin+"| lock | none | longwork |") ||
		!strings.HasSuffix(s, excerptEnd+"after\n") || strings.Contains(s, "old") {
		t.Errorf("the page is\n%s", s)
	}
	if rows := strings.Count(s, "\n| "); rows != 1+len(excerptRows) {
		t.Errorf("%d rows and a head, want %d and a head", rows-1, len(excerptRows))
	}
	if again, err := Excerpt(m, got); err != nil || string(again) != s {
		t.Errorf("written again it is another: %v", err)
	}
}

func TestAPageWithoutMarksStaysAsItIs(t *testing.T) {
	if got, err := Excerpt((&matrix.Matrix{}), []byte("a page")); err != nil ||
		string(got) != "a page" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Excerpt((&matrix.Matrix{}), []byte(excerptBegin+"cut off")); err == nil {
		t.Error("a page whose end mark is missing was written")
	}
}
