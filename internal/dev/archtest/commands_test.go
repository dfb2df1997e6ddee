package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// typed finds a command of lockbench in a text: its name, and a verb.
var typed = regexp.MustCompile(`\blockbench (run|check|choose|explore|replay|report|gate|matrix|` +
	`adapters|list|merge|compare|serve|export|doctor|tour|version) ?`)

// untyped are the places that may have commands of their own. Each has a test that runs them: the
// examples of the verbs, the pages of docs, and the tour. The last two only quote.
var untyped = map[string]string{
	"internal/base/advice":   "it makes the commands",
	"internal/campaign/tour": "its steps are a test, and its words a page of docs",
	"reports/reporttest":     "a made-up run",
}

// sentences name a verb and give no command.
var sentences = map[string]bool{
	"reports/matrix/page.html.tmpl: lockbench choose": true,
	"reports/serve/list.js: lockbench serve":          true,
}

// TestCommandsComeFromAdvice wants each command that lockbench prints to come from the package
// advice, so that a test can run it. Comments and the examples of the verbs are left out.
func TestCommandsComeFromAdvice(t *testing.T) {
	root := os.DirFS("../../..")
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		dir := filepath.Dir(name)
		switch {
		case err != nil:
			t.Fatal(err)
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "docs" || name == "lab" || name != "." &&
			strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || untyped[dir] != "":
		case strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, ".go"):
			commandsIn(t, name)
		case strings.HasSuffix(name, ".tmpl") || strings.HasSuffix(name, ".js"):
			text, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range typed.FindAllString(string(text), -1) {
				if !sentences[name+": "+strings.TrimSpace(found)] {
					t.Errorf("%s has the command %q; take it from internal/base/advice", name, found)
				}
			}
		}
		return nil
	})
}

// commandsIn looks through the strings of a Go file.
func commandsIn(t *testing.T, name string) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, filepath.Join("../../..", name), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Example" {
				return false // TestTheExamplesOfTheVerbs runs them
			}
		}
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && typed.MatchString(s.Value) {
			t.Errorf("%s has the command %s; take it from internal/base/advice", set.Position(s.Pos()),
				typed.FindString(s.Value))
		}
		return true
	})
}
