package mutate

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// program is the parsed and type-checked package of the locks.
type program struct {
	set     *token.FileSet
	names   []string
	files   map[string]*ast.File
	bare    map[string]*ast.File // without function bodies, which makes checks fast
	texts   map[string]string
	info    *types.Info
	imports types.Importer
}

// load reads the package of the locks in a directory. It runs the go command to find its imports.
func load(folder string, files fs.FS) (*program, error) {
	p := &program{set: token.NewFileSet(), files: map[string]*ast.File{}, bare: map[string]*ast.File{},
		texts: map[string]string{}}
	names, err := fs.Glob(files, "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(p.set, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.names, p.files[name], p.texts[name] = append(p.names, name), file, string(text)
		if p.bare[name], err = withoutBodies(p.set, name, text); err != nil {
			return nil, err
		}
	}
	if p.imports, err = importsOf(p.set, folder); err != nil {
		return nil, err
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if wrong := p.check(p.files, p.info); len(wrong) > 0 {
		return nil, fmt.Errorf("the locks do not compile: %w", wrong[0])
	}
	return p, nil
}

func withoutBodies(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return file, nil
}

// check returns the type errors of the package. It ignores unused imports, which some mutants
// cause.
func (p *program) check(files map[string]*ast.File, info *types.Info) (wrong []types.Error) {
	conf := types.Config{Importer: p.imports, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !unusedImport(e.Msg) {
			wrong = append(wrong, e)
		}
	}}
	var list []*ast.File
	for _, name := range p.names {
		list = append(list, files[name])
	}
	_, _ = conf.Check("impls", p.set, list, info) // conf.Error has received the errors
	return wrong
}

// importsOf reads the compiled imports of the package in a directory.
func importsOf(set *token.FileSet, folder string) (types.Importer, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", ".")
	list.Dir, list.Stderr = folder, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	compiled := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		compiled[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		if compiled[path] == "" {
			return nil, fmt.Errorf("%s was not compiled", path)
		}
		return os.Open(compiled[path])
	}), nil
}

func unusedImport(message string) bool {
	return strings.Contains(message, " imported ") && strings.HasSuffix(message, " not used")
}
