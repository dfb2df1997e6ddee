package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

var root = filepath.Join("../../..")

// TestEveryReferenceResolves follows what code, test data and docs refer to: files, sections of
// pages, sections and lines of the source documents, traces, and in Markdown links and names of Go.
func TestEveryReferenceResolves(t *testing.T) {
	testenv.SkipRace(t) // regular expressions, fifteen times as slow with the race detector
	x := readIndex(t)
	for _, name := range texts(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, broken := range x.broken(name, string(text)) {
			t.Error(broken)
		}
	}
}

// TestABrokenReferenceIsFound plants one of each kind.
func TestABrokenReferenceIsFound(t *testing.T) {
	x := readIndex(t)
	for _, c := range []struct{ file, text, want string }{
		{"a/b.go", "// as D000 line 35 says", ""},
		{"a/b.go", "// (D000\n// lines 35–41, D002 lines 138, 141\n// and 154; D004 §1.1, §2.2)", ""},
		{"a/b.go", "// as D000 line 9999 says", "D000 has no line 9999"},
		{"a/b.go", "// D001 lines 499–9999", "D001 has no line 512"},
		{"a/b.go", "// D000 lines 35,\n// 9999", "D000 has no line 9999"},
		{"a/b.go", "// see D000 §17", "D000 has no §17"},
		{"a/b.go", "// see D017", "there is no document D017"},
		{"a/b.go", "// as 00" + "0 line 35 says", "write D000"},
		{"a/b.go", "// LOCKS" + ".md says so", "is no page of this repository"},
		{"a/b.go", "// see design " + "§4", "name the section of docs/design.md"},
		{"a/b.go", "// (T3, docs/locks.md, T14)", ""},
		{"a/b.go", "// as in T99", "there is no trace T99"},
		{"a/b.go", "// docs/locks.md, The\n// traces", ""},
		{"a/b.go", "// (docs/locks.md, Nowhere)", `docs/locks.md has no section "Nowhere)"`},
		{"a/b.go", "// nemesis/nothing.go has it", "there is no nemesis/nothing.go"},
		{"docs/a.md", "`harness.Run` and `impls.Env`, `time.Now`, `Env.Sleep`", ""},
		{"docs/a.md", "`harness.Nothing` runs", "there is no harness.Nothing"},
		{"docs/a.md", "[a](locks.md#the-traces) [b](../README.md) [c](https://example.org)", ""},
		{"docs/a.md", "[a](nothing.md)", "there is no docs/nothing.md"},
		{"docs/a.md", "[a](locks.md#nowhere)", "docs/locks.md has no anchor #nowhere"},
		{"docs/locks.md", "[a](#nowhere)", "docs/locks.md has no anchor #nowhere"},
	} {
		got := strings.Join(x.broken(c.file, c.text), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

var (
	// lineBreak is a break between two lines of a comment or a paragraph.
	lineBreak = regexp.MustCompile(`\n[ \t]*(//|--|#|\*)?[ \t]*`)

	document = regexp.MustCompile(`\bD(\d{3})\b`)
	itsLines = regexp.MustCompile(`^ +lines? +\d+([–-]\d+)?((, +| +and +)\d+([–-]\d+)?\b)*`)
	itsParts = regexp.MustCompile(`^ +§[\w.]*\w((, +| +and +)§[\w.]*\w)*`)
	span     = regexp.MustCompile(`(\d+)(?:[–-](\d+))?`)
	part     = regexp.MustCompile(`§[\w.]*\w`)
	trace    = regexp.MustCompile(`\bT\d{1,2}\b`)
	section  = regexp.MustCompile(`\b(docs/[\w./-]+\.md), +`)
	goName   = regexp.MustCompile("`([a-z]+\\d?)\\.([A-Z]\\w*)")
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	file     = regexp.MustCompile(`(?:^|[^\w./-]|\./)((?:cmd|internal|impls|nemesis|workloads|` +
		`checker|reports|docker|history|docs)(?:/[\w.-]*\w)+)`)
	selector = regexp.MustCompile(
		`\.[A-Z]\w*$`) // of internal/env/cluster.Config
	// examples, and what a build makes
	placeholder = regexp.MustCompile(`[A-Z]{3}|redispy.watch|(?:shim/lockbench|preload/built)$`)

	// outside are forms that lead out of the repository, and what to write instead.
	outside = []struct {
		form   *regexp.Regexp
		advice string
	}{
		{regexp.MustCompile(`\b00[0-4] +(lines?|sections?|§)`), "write D000 to D004"},
		{regexp.MustCompile(`\bdesign +§`), "name the section of docs/design.md"},
		{regexp.MustCompile(`\b(LOCKS|CHECKING|SIM|REALFAULT|ANCHORS|DESIGN|NAMES|FINDINGS|SEARCH|` +
			`SPEED|SYSTEMS|ADAPTERS)\.md\b`), "it is no page of this repository"},
	}
)

// broken are the references of a file that lead nowhere, each in one line with its place.
func (x *index) broken(name, text string) (out []string) {
	flat := lineBreak.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Repeat(" ", len(s))
	})
	report := func(at int, format string, args ...any) {
		line := 1 + strings.Count(text[:at], "\n")
		out = append(out, fmt.Sprintf("%s:%d: ", name, line)+fmt.Sprintf(format, args...))
	}
	for _, o := range outside {
		for _, at := range o.form.FindAllStringIndex(flat, -1) {
			report(at[0], "%q: %s", flat[at[0]:at[1]], o.advice)
		}
	}
	for _, at := range document.FindAllStringIndex(flat, -1) {
		for _, why := range x.citation(flat[at[0]:at[1]], flat[at[1]:]) {
			report(at[0], "%s", why)
		}
	}
	for _, at := range trace.FindAllStringIndex(flat, -1) {
		if word := flat[at[0]:at[1]]; !x.traces[word] {
			report(at[0], "there is no trace %s in docs/locks.md", word)
		}
	}
	for _, at := range file.FindAllStringSubmatchIndex(flat, -1) {
		p := selector.ReplaceAllString(flat[at[2]:at[3]], "")
		if !placeholder.MatchString(p) && !exists(p) {
			report(at[2], "there is no %s", p)
		}
	}
	if strings.HasSuffix(name, ".md") {
		for _, at := range goName.FindAllStringSubmatchIndex(withoutCode(text), -1) {
			names, ours := x.names[text[at[2]:at[3]]]
			if ours && !names[text[at[4]:at[5]]] {
				report(at[2], "there is no %s", text[at[2]:at[5]])
			}
		}
		for _, at := range link.FindAllStringSubmatchIndex(withoutCode(text), -1) {
			if why := x.link(name, text[at[2]:at[3]]); why != "" {
				report(at[2], "%s", why)
			}
		}
		return out
	}
	for _, at := range section.FindAllStringSubmatchIndex(flat, -1) {
		inBrackets := at[0] > 0 && flat[at[0]-1] == '('
		if why := x.section(flat[at[2]:at[3]], flat[at[1]:], inBrackets); why != "" {
			report(at[2], "%s", why)
		}
	}
	return out
}

// citation checks the lines and sections that follow the name of a source document.
func (x *index) citation(name, rest string) (out []string) {
	d, ok := x.documents[name]
	if !ok {
		return []string{"there is no document " + name}
	}
	for _, s := range span.FindAllStringSubmatch(itsLines.FindString(rest), -1) {
		if n := d.missing(s[1], s[2]); n != 0 {
			out = append(out, fmt.Sprintf("%s has no line %d in docs/locks/documents.md", name, n))
		}
	}
	for _, s := range part.FindAllString(itsParts.FindString(rest), -1) {
		if !d.sections[s] {
			out = append(out, fmt.Sprintf("%s has no %s in docs/locks/documents.md", name, s))
		}
	}
	return out
}

// section checks "docs/page.md, Section": what follows the comma, in brackets or with a capital
// letter; other words are the rest of a sentence.
func (x *index) section(page, rest string, inBrackets bool) string {
	words := strings.Join(strings.Fields(rest[:min(len(rest), 200)]), " ")
	if !inBrackets && !regexp.MustCompile(`^[A-Z]`).MatchString(words) ||
		regexp.MustCompile(`^(docs/|T\d|D\d)`).MatchString(words) {
		return ""
	}
	for _, h := range x.pages[page].headings {
		if strings.HasPrefix(words, h) {
			return ""
		}
	}
	return fmt.Sprintf("%s has no section %q", page, words[:min(len(words), 40)])
}

// link checks a link of a page.
func (x *index) link(name, target string) string {
	if regexp.MustCompile(`^[a-z]+:`).MatchString(target) {
		return ""
	}
	to, anchor, _ := strings.Cut(target, "#")
	to = path.Join(path.Dir(name), to)
	if strings.HasPrefix(target, "#") {
		to = name
	}
	switch p, isPage := x.pages[to]; {
	case !exists(to):
		return "there is no " + to
	case anchor != "" && isPage && !slices.Contains(p.anchors, anchor):
		return fmt.Sprintf("%s has no anchor #%s", to, anchor)
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// texts are the files that people write: not recorded JSON.
func texts(t *testing.T) (names []string) {
	t.Helper()
	kinds := []string{".go", ".md", ".lua", ".txt", ".txtar", ".yaml", ".yml", ".c", ".tmpl", ""}
	skip := []string{".git", "store", "bin", "dist", ".go"}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skip, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && slices.Contains(kinds, path.Ext(name)) &&
			name != "internal/dev/archtest/references_large_test.go":
			names = append(names, name)
		}
		return nil
	})
	if err != nil || len(names) < 300 {
		t.Fatalf("found %d files: %v", len(names), err)
	}
	return names
}
