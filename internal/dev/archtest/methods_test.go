package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"testing"
)

// maxMethods is how many methods a type may have. One with more holds several parts.
const maxMethods = 30

// TestTypesAreSmall counts the methods of each type.
func TestTypesAreSmall(t *testing.T) {
	methods := map[string]int{}
	for _, s := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../..", s.name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if name := receiver(d); name != "" && !ast.IsGenerated(f) {
				methods[path.Dir(s.name)+"."+name]++
			}
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, of %d: make a part of it a type of its own", name, n, maxMethods)
		}
	}
}

// receiver returns the name of the type whose method a declaration is, or "".
func receiver(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	switch g := of.(type) {
	case *ast.IndexExpr:
		of = g.X
	case *ast.IndexListExpr:
		of = g.X
	}
	name, _ := of.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
