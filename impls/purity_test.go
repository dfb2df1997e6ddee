package impls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forbidden are the packages that a lock may not import, and, with a dot, the names that it may not
// use of others.
var forbidden = []string{
	"os", "net", "math/rand", "math/rand/v2", "crypto/rand",
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick",
	"time.NewTimer", "time.NewTicker",
}

// excused says why a file may do what is forbidden.
var excused = map[string]string{
	"errors.go: import net": "for the type net.OpError alone, which tells a refused dial from a " +
		"lost reply; nothing is opened",
}

// TestLocksKeepToThePort reads the source of every lock: whatever it does besides Redis must go
// through Env, or the simulator could neither control nor repeat it.
func TestLocksKeepToThePort(t *testing.T) {
	used := map[string]bool{}
	for name, file := range sources(t, ".") {
		for _, sin := range sins(file) {
			at := name + ": " + sin
			if excused[at] == "" {
				t.Errorf("%s is forbidden in a lock: use impls.Env", at)
			}
			used[at] = true
		}
	}
	for at := range excused {
		if !used[at] {
			t.Errorf("%s is excused but does not happen any more: take the excuse out", at)
		}
	}
}

// TestPurityFindsSins proves that the test above can fail.
func TestPurityFindsSins(t *testing.T) {
	const src = `package x
import ("os"; "time"; r "math/rand")
func f(a, b chan int, ctx interface{ Done() <-chan int }) {
	go f(a, b, ctx)
	_ = time.Now(); t := time.NewTimer; _ = t
	select { case <-a: case <-b: }
	_ = os.Args; _ = r.Int
}`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := sins(file)
	want := []string{"import os", "import math/rand", "a go statement", "time.Now", "time.NewTimer",
		"a select of several cases without a look at ctx.Err()"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q was not found; found %q", w, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// sources parses the files of a folder that are no tests.
func sources(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatal("no source was found")
	}
	return files
}

func sins(file *ast.File) (found []string) {
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); slices.Contains(forbidden, path) {
			found = append(found, "import "+path)
		}
	}
	for _, d := range file.Decls {
		looks := mentions(d, "Err")
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = append(found, "a go statement")
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(forbidden, x.Name+"."+n.Sel.Name) {
					found = append(found, x.Name+"."+n.Sel.Name)
				}
			case *ast.SelectStmt:
				if len(n.Body.List) > 1 && !looks {
					found = append(found, "a select of several cases without a look at ctx.Err()")
				}
			}
			return true
		})
	}
	return found
}

// mentions reports whether a method of that name is called somewhere below n.
func mentions(n ast.Node, method string) bool {
	yes := false
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == method {
			yes = true
		}
		return true
	})
	return yes
}
