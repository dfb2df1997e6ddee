package study

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// page is a Markdown page. Its prose is wrapped at 100 columns.
type page struct{ bytes.Buffer }

const pageWidth = 100

func (p *page) heading(level int, title string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	fmt.Fprintf(p, "%s %s\n", strings.Repeat("#", level), title)
}

// paragraph writes a paragraph after an empty line.
func (p *page) paragraph(format string, args ...any) {
	p.WriteByte('\n')
	p.wrap("", "", fmt.Sprintf(format, args...))
}

// items writes a list after an empty line.
func (p *page) items(lines []string) {
	if len(lines) > 0 {
		p.WriteByte('\n')
	}
	for _, l := range lines {
		p.wrap("- ", "  ", l)
	}
}

// head starts a table after an empty line, and row continues it.
func (p *page) head(cells ...string) {
	p.WriteByte('\n')
	p.row(cells...)
	p.WriteString("|" + strings.Repeat("---|", len(cells)) + "\n")
}

func (p *page) row(cells ...string) {
	fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | "))
}

// unbroken matches text that stays on one line: a word, including code and links.
var unbroken = regexp.MustCompile("(`[^`]*`|\\[[^\\]]*\\]\\([^)]*\\)|[^\\s])+")

// wrap wraps text at the width of the page. It never starts a line with a word that would begin a
// list or heading.
func (p *page) wrap(first, rest, text string) {
	line, empty := first, true
	for _, word := range unbroken.FindAllString(text, -1) {
		starts := word == "-" || word == "+" || strings.HasPrefix(word, "#")
		if !empty && !starts && len([]rune(line))+1+len([]rune(word)) > pageWidth {
			p.WriteString(line + "\n")
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	p.WriteString(line + "\n")
}

// wordsLimit limits a counterexample on a page.
const wordsLimit = 600

func cut(s string) string {
	if len(s) > wordsLimit+len(" …") {
		s = strings.ToValidUTF8(s[:wordsLimit], "") + " …"
	}
	return s
}

// oneLine escapes a text for Markdown and puts it on one line.
func oneLine(s string) string {
	s = cut(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*").Replace(s)
}
