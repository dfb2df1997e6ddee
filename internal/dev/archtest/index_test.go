package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// index is what references may lead to.
type index struct {
	pages     map[string]page            // by their names from the root of the repository
	documents map[string]sourceDocument  // D000 to D004
	traces    map[string]bool            // T1 to T14
	names     map[string]map[string]bool // by the name of one of our packages: what it exports
}

// page is a page of Markdown: its headings as they stand there, and their anchors.
type page struct{ headings, anchors []string }

// sourceDocument is a source document: the lines of which docs/locks/documents.md says something,
// and its sections.
type sourceDocument struct {
	lines    map[int]bool
	sections map[string]bool
}

// missing is the first of the lines from a to b (b may be empty) of which nothing is said; 0: none.
func (d sourceDocument) missing(a, b string) int {
	from, _ := strconv.Atoi(a)
	to, err := strconv.Atoi(b)
	if err != nil {
		to = from
	}
	for n := from; n <= to; n++ {
		if !d.lines[n] {
			return n
		}
	}
	return 0
}

func readIndex(t *testing.T) *index {
	t.Helper()
	x := &index{pages: map[string]page{}, documents: map[string]sourceDocument{},
		traces: map[string]bool{}, names: exported(t)}
	for _, name := range texts(t) {
		if strings.HasSuffix(name, ".md") {
			x.pages[name] = readPage(read(t, name))
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (T\d+) \|`).
		FindAllStringSubmatch(read(t, "docs/locks.md"), -1) {
		x.traces[row[1]] = true
	}
	_, rest, _ := strings.Cut(read(t, "docs/locks/documents.md"), "\n## D")
	for _, text := range strings.Split(rest, "\n## D") {
		x.documents["D"+text[:3]] = readDocument(text)
	}
	if len(x.traces) != 14 || len(x.documents) != 5 {
		t.Fatalf("%d traces, %d documents", len(x.traces), len(x.documents))
	}
	return x
}

// readDocument reads rows as "| 35–41 | what they say |" and sections as "§1 lines 1–3".
func readDocument(text string) sourceDocument {
	d := sourceDocument{lines: map[int]bool{}, sections: map[string]bool{}}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+)(?:–(\d+))? \|`).
		FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(row[1])
		to, err := strconv.Atoi(row[2])
		if err != nil {
			to = from
		}
		for n := from; n <= to; n++ {
			d.lines[n] = true
		}
	}
	for _, s := range regexp.MustCompile(`(§[\w.]+)\s+lines`).FindAllStringSubmatch(text, -1) {
		d.sections[s[1]] = true
	}
	return d
}

func readPage(text string) (p page) {
	seen := map[string]int{}
	for _, h := range regexp.MustCompile(`(?m)^#{1,6} +(.+)$`).
		FindAllStringSubmatch(withoutCode(text), -1) {
		heading := strings.NewReplacer("`", "", "*", "").Replace(h[1])
		a := anchor(heading)
		if n := seen[a]; n > 0 {
			a += "-" + strconv.Itoa(n)
		}
		seen[anchor(heading)]++
		p.headings, p.anchors = append(p.headings, heading), append(p.anchors, a)
	}
	for _, a := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		p.anchors = append(p.anchors, a[1])
	}
	return p
}

// anchor is how GitHub calls a heading.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// withoutCode blanks fenced blocks, so that what follows keeps its place.
func withoutCode(text string) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllStringFunc(text,
		func(s string) string {
			return regexp.MustCompile(`[^\n]+`).ReplaceAllStringFunc(s, func(line string) string {
				return strings.Repeat(" ", len(line))
			})
		})
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// exported are the names that each of our packages declares, its tests left out. Packages of one
// name are taken together.
func exported(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	for _, src := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, src.name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name.Name] == nil {
			out[f.Name.Name] = map[string]bool{}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				out[f.Name.Name][d.Name.Name] = d.Recv == nil || out[f.Name.Name][d.Name.Name]
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						out[f.Name.Name][s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							out[f.Name.Name][n.Name] = true
						}
					}
				}
			}
		}
	}
	return out
}
