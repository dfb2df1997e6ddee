package mutate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strings"
)

// place is a position in the syntax tree of a Go file. It collects the mutants of a function.
type place struct {
	*program
	text    string // text of the file
	where   string // name of the function
	parents []ast.Node
	found   *[]Mutant
}

// mutants returns the mutants of the functions of a file.
func (p *program) mutants(s source) ([]Mutant, error) {
	var found []Mutant
	for _, d := range p.files[s.file].Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Recv != nil && s.excluded(receiver(f)) {
			continue
		}
		if strings.HasPrefix(f.Name.Name, "new") && s.excluded(strings.TrimPrefix(lower(f.Name.Name),
			"new")) {
			continue
		}
		at := &place{program: p, text: p.texts[s.file], where: f.Name.Name, found: &found}
		at.walk(f.Body)
	}
	var good []Mutant
	for _, m := range found {
		if p.compiles(s.file, &m) {
			good = append(good, m)
		}
	}
	return good, nil
}

// lower converts the constructor name newX to the name of the type x.
func lower(name string) string {
	if len(name) < len("newX") {
		return name
	}
	return name[:3] + strings.ToLower(name[3:4]) + name[4:]
}

func receiver(f *ast.FuncDecl) string { return types.ExprString(f.Recv.List[0].Type) }

// walk applies every operator to every node, from the outside in.
func (p *place) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			p.parents = p.parents[:len(p.parents)-1]
			return true
		}
		for _, o := range goOperators {
			o(p, n)
		}
		p.parents = append(p.parents, n)
		return true
	})
}

// parent returns the parent of the current node.
func (p *place) parent() ast.Node {
	if len(p.parents) == 0 {
		return nil
	}
	return p.parents[len(p.parents)-1]
}

// src returns the source text of a node.
func (p *place) src(n ast.Node) string { return p.text[p.offset(n.Pos()):p.offset(n.End())] }

func (p *place) offset(at token.Pos) int { return p.set.Position(at).Offset }

// instead records a mutant that replaces a node by another text.
func (p *place) instead(operator string, n ast.Node, text string) {
	p.replace(operator, n.Pos(), n.End(), text)
}

// replace records a mutant that replaces a range of the text.
func (p *place) replace(operator string, from, to token.Pos, text string) {
	old := p.text[p.offset(from):p.offset(to)]
	p.note(operator, from, old, text, edit{p.offset(from), p.offset(to), text})
}

// note records a mutant.
func (p *place) note(operator string, at token.Pos, old, text string, edits ...edit) {
	*p.found = append(*p.found, Mutant{Where: p.where, Operator: operator, Old: old, New: text,
		Line: p.set.Position(at).Line, edits: edits})
}

// mostTries limits the unused variables of a mutant.
const mostTries = 3

// compiles reports whether the package still compiles with a mutant. It adds a use of each unused
// variable to the mutant.
func (p *program) compiles(file string, m *Mutant) bool {
	for range mostTries {
		text := apply(p.texts[file], m.edits)
		changed, err := parser.ParseFile(p.set, file, text, 0)
		if err != nil {
			return false
		}
		files := maps.Clone(p.bare)
		files[file] = changed
		wrong := p.checkWith(files)
		if len(wrong) == 0 {
			return true
		}
		name, unused := strings.CutPrefix(wrong[0].Msg, "declared and not used: ")
		if !unused || !p.use(m, changed, wrong[0].Pos, name) {
			return false
		}
	}
	return false
}

// checkWith checks the package together with the helpers of the mutants.
func (p *program) checkWith(files map[string]*ast.File) []types.Error {
	helper, err := parser.ParseFile(p.set, helperFile, helpers+noScripts, 0)
	if err != nil {
		panic(err) // the source is constant
	}
	q := *p
	q.names = append([]string{helperFile}, p.names...)
	files[helperFile] = helper
	return q.check(files, nil)
}

// use adds "_ = name" after the declaration at a position of the changed file.
func (p *program) use(m *Mutant, changed *ast.File, at token.Pos, name string) bool {
	after := token.NoPos
	ast.Inspect(changed, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			if x.Pos() <= at && at < x.End() {
				after = x.End()
			}
		case *ast.IfStmt:
			if x.Init != nil && x.Init.Pos() <= at && at < x.Init.End() {
				after = x.Body.Lbrace + 1
				return false
			}
		}
		return true
	})
	if after == token.NoPos {
		return false
	}
	m.edits = append(m.edits, p.original(m.edits, p.set.Position(after).Offset, "; _ = "+name+";"))
	return true
}

// original converts an insertion into the changed text to an edit of the original text.
func (p *program) original(edits []edit, offset int, text string) edit {
	for _, e := range edits {
		if grown := len(e.text) - (e.to - e.from); e.from < offset {
			offset -= grown
		}
	}
	return edit{offset, offset, text}
}
