package progress

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"
)

// Width returns the number of columns of w, or 0 if w is not a terminal.
func Width(w io.Writer) int {
	f, ok := w.(descriptor)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Table is a tabwriter. If w is a terminal, it folds long rows: the rest goes on below the last
// column. Flush writes the table.
type Table struct {
	*tabwriter.Writer
	// Most is the width at which rows are folded at the latest. If zero, only a terminal decides.
	Most int
	to   io.Writer
	rows bytes.Buffer
}

// NewTable makes a table whose columns are two blanks apart.
func NewTable(w io.Writer) *Table {
	t := &Table{to: w}
	t.Writer = tabwriter.NewWriter(&t.rows, 0, 0, gap, ' ', 0)
	return t
}

// gap is the number of blanks between the columns of a table.
const gap = 2

// Flush works like tabwriter.Writer's.
func (t *Table) Flush() error {
	if err := t.Writer.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(t.to, fold(t.rows.String(), t.width()))
	t.rows.Reset()
	return err
}

// width returns the width at which rows are folded, or 0.
func (t *Table) width() int {
	w := Width(t.to)
	if w == 0 || t.Most > 0 && t.Most < w {
		return t.Most
	}
	return w
}

// fold folds lines that are wider than a terminal, at blanks. With a width of 0 it returns the text
// unchanged. If the last column has too little room, fold gives up the columns.
func fold(text string, width int) string {
	if width == 0 {
		return text
	}
	lines, indent := strings.SplitAfter(text, "\n"), column
	if slices.ContainsFunc(lines, func(l string) bool {
		return wider(l, width) && width-column(l, width) < leastColumn
	}) {
		for i, l := range lines {
			lines[i] = gaps.ReplaceAllString(l, "$1  ")
		}
		indent = func(string, int) int { return little }
	}
	for i, l := range lines {
		if wider(l, width) {
			lines[i] = Fold(l, width, cmp.Or(indent(l, width), little))
		}
	}
	return strings.Join(lines, "")
}

// leastColumn is the minimum width of a last column. little is the indentation without one.
const (
	leastColumn = 24
	little      = 4
)

// gaps matches the blanks between the columns of a table.
var gaps = regexp.MustCompile(`(\S) {2,}`)

func wider(line string, width int) bool {
	return utf8.RuneCountInString(strings.TrimRight(line, "\n ")) > width
}

// column returns the start of a line's last column within the width. The column follows the last
// two blanks.
func column(line string, width int) int {
	within := string([]rune(line)[:width])
	last := strings.LastIndex(within, "  ")
	if last < 0 {
		return 0
	}
	return utf8.RuneCountInString(within[:last]) + gap
}

// Fold folds one line at a width, and indents the rest. It does not break a word; the terminal
// does.
func Fold(line string, width, indent int) string {
	var out strings.Builder
	for rest := []rune(line); ; {
		within := string(rest[:min(width+1, len(rest))])
		cut := utf8.RuneCountInString(within[:max(strings.LastIndex(within, " "), 0)])
		if !wider(string(rest), width) || cut <= indent {
			return out.String() + string(rest)
		}
		out.WriteString(strings.TrimRight(string(rest[:cut]), " ") + "\n")
		rest = append([]rune(strings.Repeat(" ", indent)), rest[cut+1:]...)
	}
}
