package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNothingIsDrawnWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	l := Start(&out, func(time.Duration) string { t.Error("the text was asked for"); return "x" })
	time.Sleep(2 * every)
	l.Stop()
	l.Stop() // may be called more than once
	if out.Len() > 0 {
		t.Errorf("%q was written", &out)
	}
}

// TestRowsAreFoldedBelowTheirLastColumn wants no line wider than the terminal, and each word once.
func TestRowsAreFoldedBelowTheirLastColumn(t *testing.T) {
	const row = "setnx-expire  single  -  SETNX, then EXPIRE as a second command; DEL\n"
	for _, c := range []struct {
		width int
		in    string
		want  string
	}{
		{0, row, row}, {200, row, row},
		{52, row, "setnx-expire  single  -  SETNX, then EXPIRE as a\n" +
			"                         second command; DEL\n"},
		// no room beside the other columns
		{40, row, "setnx-expire  single  -  SETNX, then\n    EXPIRE as a second command; DEL\n"},
		{20, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b\n"},
	} {
		if got := fold(c.in, c.width); got != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,9}`), 1, 30).Draw(t, "words")
		sep := rapid.SampledFrom([]string{" ", "  "})
		line := words[0]
		for _, w := range words[1:] {
			line += sep.Draw(t, "gap") + w
		}
		width := rapid.IntRange(16, 90).Draw(t, "width")
		got := fold(line+"\n", width)
		if !slices.Equal(strings.Fields(got), words) {
			t.Errorf("%q became %q", line, got)
		}
		for _, l := range strings.Split(got, "\n") {
			if utf8.RuneCountInString(l) > width {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
	})
}

// TestALineOfProgressStaysInItsRow is what can be taken away again.
func TestALineOfProgressStaysInItsRow(t *testing.T) {
	for width, want := range map[int]string{0: "[###] 3 of 9", 12: "[###] 3 of…", 13: "[###] 3 of 9"} {
		if got := clip("[###] 3 of 9", width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestABarSaysHowMuchIsDoneAndLeft(t *testing.T) {
	var b Bar
	if got := b.text(3 * time.Second); got != "starting, 3 s" {
		t.Errorf("before the first step: %q", got)
	}
	b.step(3*time.Second, 0, 40, "servers start")
	if got := b.text(4 * time.Second); got !=
		"[                              ] 0 of 40, 4 s; servers start" {
		t.Errorf("before the first part is done: %q", got)
	}
	b.step(4*time.Second, 39, 40, "setnx")
	for took, want := range map[time.Duration]string{4: " 0s left", 19: " 15s left"} {
		if got := b.text(took * time.Second); !strings.Contains(got, want) {
			t.Errorf("39 parts took a second, and the last is not done after %d s: %q", took, got)
		}
	}
	const bar = "[###############               ] "
	for _, c := range []struct {
		name  string
		first int // what the first step of this process said
		took  time.Duration
		want  string
	}{
		{"the rest takes as long as what is done", 1, 10 * time.Second, "10s left; getset"},
		{"what was there before took no time", 10, 2 * time.Second, "4s left; getset"},
	} {
		b := Bar{}
		b.step(c.took, c.first, 40, "setnx")
		b.step(c.took, 20, 40, "getset")
		if got := b.text(c.took); got != bar+"20 of 40, "+c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestAStageHasItsOwnPace: of 20 parts side by side in 10 s nothing follows for those that come
// one after the other.
func TestAStageHasItsOwnPace(t *testing.T) {
	b := Bar{}
	for i := range 20 {
		b.step(time.Duration(i+1)*time.Second/2, i+1, 20, "side by side")
	}
	b.step(15*time.Second, 21, 30, "again")
	if got := b.text(15 * time.Second); strings.Contains(got, "left") {
		t.Errorf("one part of ten tells how long the rest takes: %q", got)
	}
	b.step(25*time.Second, 23, 30, "again")
	const want = "[#######################       ] 23 of 30, 35s left; again"
	if got := b.text(25 * time.Second); got != want {
		t.Errorf("%q, not\n%q", got, want)
	}
}

// TestATableFitsAWidthOfItsOwn wants a table to be folded where there is no terminal, too.
func TestATableFitsAWidthOfItsOwn(t *testing.T) {
	var out bytes.Buffer
	table := NewTable(&out)
	table.Most = 40
	_, _ = table.Write([]byte("lock\tone two three four five six seven eight\n"))
	_ = table.Flush()
	const want = "lock  one two three four five six seven\n      eight\n"
	if out.String() != want {
		t.Errorf("%q, not %q", &out, want)
	}
}
