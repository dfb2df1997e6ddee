package page

import (
	"strings"
)

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
