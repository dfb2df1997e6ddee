// Package terminal tells the end of a run on a terminal: the answer, its cause, what to do about it
// and how to repeat it, on one screen.
package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/view"
)

// Where words are wrapped: at the width of the terminal, but for very wide and very narrow ones.
const (
	widest    = 100
	narrowest = 40
)

// Look is how a summary looks.
type Look struct {
	Color bool // with styles
	Width int  // of the terminal, in columns; zero if unknown
}

// width returns the column at which words are wrapped.
func (l Look) width() int {
	if l.Width == 0 {
		return widest
	}
	return max(narrowest, min(widest, l.Width))
}

// Extra is what a summary shows that is not in the files of the run.
type Extra struct {
	Verbose bool   // everything, and not only the first screen
	Report  string // the path of the report, if there is one
	Remedy  hint.Remedy
	Orphan  hint.Remedy // of a key that was left behind, if that does not decide the run
	Hints   []hint.Hint
}

// Summary writes the words that end a run on a terminal. Colour never says anything that the words
// do not say.
func Summary(w io.Writer, v *view.View, l Look, x Extra) error {
	t := terminal{Look: l}
	t.screen(v, x)
	if x.Verbose {
		t.details(v, x)
	}
	t.ending(v, x)
	_, err := io.WriteString(w, t.String())
	return err
}

// Note writes a text in the form of a summary, with a word in front of it.
func Note(w io.Writer, word, text string, l Look) error {
	t := terminal{Look: l}
	t.wrap(t.paint(dim, fmt.Sprintf("%-8s", word+":")), text, 8)
	_, err := io.WriteString(w, t.String())
	return err
}

// The codes of the few styles that a terminal is asked for.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func tone(r checker.Result) string {
	switch r {
	case checker.Violated:
		return red
	case checker.Valid:
		return green
	case checker.NA:
		return dim
	}
	return yellow
}

type terminal struct {
	strings.Builder
	Look
}

func (t *terminal) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

func (t *terminal) paint(code, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// wrap writes a lead and a text after it, with the following lines indented.
func (t *terminal) wrap(lead, text string, indent int) {
	t.flow(lead, strings.Fields(text), "", indent)
}

// flow writes a lead and words after it. A full line ends with end, and the next one is indented.
func (t *terminal) flow(lead string, words []string, end string, indent int) {
	col := visible(lead)
	t.WriteString(lead)
	for i, word := range words {
		n := visible(word)
		switch {
		case i == 0:
		case col+1+n+len(end) > t.width():
			t.WriteString(end + "\n" + strings.Repeat(" ", indent))
			col = indent
		default:
			t.WriteString(" ")
			col++
		}
		t.WriteString(word)
		col += n
	}
	t.WriteString("\n")
}

// visible returns the width of a text without its styles.
func visible(s string) int {
	n, esc := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			n++
		}
	}
	return n
}
