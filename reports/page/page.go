// Package page has the parts that all pages share: the style sheet, the content security policy,
// and the writing of foreign text so that a reader sees all of it and no program obeys it.
package page

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockbench/lockbench/checker"
)

// CSS is the style sheet that every page begins with.
//
//go:embed base.css
var CSS string

// Unpack is the script of a page with packed parts. It runs the part "drawing".
//
//go:embed unpack.js
var Unpack string

// Pack compresses a part of a page, which Unpack inflates: a JSON string for a script element.
func Pack(part string) template.JS {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // fails for a level that does not exist
	_, _ = io.WriteString(w, part)                     // a Buffer takes everything
	w.Close()
	return template.JS(`"` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"`)
}

// Link says where the report of a run directory is to be found, relative to the page; "" if there
// is none.
type Link func(dir string) string

// Place is a link to another page of lockbench, with its text.
type Place struct{ Href, Text string }

// State returns the class of a result in the style sheets.
func State(r checker.Result) string {
	switch r {
	case checker.Violated, checker.Valid:
		return string(r)
	case checker.NA:
		return "na"
	}
	return "unknown"
}

// PolicyFor allows a page these scripts and nothing else: no network, no forms, no frames but its
// own. Even a text that escaped its escaping would do nothing.
func PolicyFor(scripts ...string) string {
	var hashes []string
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " +
		"style-src 'unsafe-inline'; frame-src 'self'; script-src " + strings.Join(hashes, " ")
}

// Clean spells out what a reader could not see or be misled by: control characters, invalid UTF-8,
// and the marks that turn the direction of the text around them. It shortens to at most limit
// runes, if limit is positive. It does not escape for HTML: the page does.
func Clean(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if limit > 0 && n >= limit {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r),
			unicode.Is(unicode.Zp, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Printable is clean for text of several lines.
func Printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Clean(l, 0)
	}
	return strings.Join(lines, "\n")
}

// SummaryLimit bounds a summary: GitHub takes 65,536 characters in a comment and 1 MiB in a job
// summary.
const SummaryLimit = 60_000

// Literal escapes a text so that no part of it is taken for Markdown or HTML.
func Literal(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<",
		"&lt;", ">", "&gt;", "[", "\\[", "]", "\\]", "#", "\\#", "&", "&amp;").Replace(s)
}

// Code writes foreign text as a code span: GitHub neither links nor mentions anything inside one.
func Code(s string, limit int) string {
	s = strings.TrimSpace(Clean(strings.Join(strings.Fields(s), " "), limit))
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// Cell writes code in a table. A bar would end the column even inside code, so Cell escapes it.
func Cell(s string, limit int) string { return strings.ReplaceAll(Code(s, limit), "|", `\|`) }

// Fenced makes foreign text fit for a fenced block: lines of it cannot end the block.
func Fenced(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		line = Clean(strings.TrimRight(line, "\r\n"), 3000)
		lines = append(lines, strings.ReplaceAll(line, "```", "` ` `"))
	}
	return strings.Join(lines, "\n")
}
