package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yamlReader walks a YAML file. Everything that it does not expect is an error with a place: a key
// that is misspelt must not be a gate that checks less than was meant.
type yamlReader struct {
	file string
}

// field is a key of a mapping with its value.
type field struct {
	name  string
	at    Position // of the key
	value ast.Node
}

func (r yamlReader) at(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{r.file, 1, 1}
	}
	return Position{r.file, t.Position.Line, t.Position.Column}
}

// document parses a file that has one document, a mapping.
func (r yamlReader) document(src []byte) ([]field, error) {
	f, err := parser.ParseBytes(src, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) {
			return nil, r.at(at.GetToken()).Errorf("%s", strings.ReplaceAll(at.GetMessage(), "\n", " "))
		}
		return nil, Position{r.file, 1, 1}.Errorf("%s", firstLine(err.Error()))
	}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil {
			continue
		}
		if body != nil {
			return nil, r.at(d.Body.GetToken()).Errorf("a second document begins here; a gate file has one")
		}
		body = d.Body
	}
	if body == nil {
		return nil,
			Position{r.file, 1, 1}.Errorf("the file is empty; `lockbench gate --init` writes an example")
	}
	return r.mapping(body, "the file")
}

// mapping returns the pairs of a mapping, each name once.
func (r yamlReader) mapping(n ast.Node, what string) ([]field, error) {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return nil, r.at(n.GetToken()).Errorf("%s must be names with values (name: value), not %s", what,
			kind(n))
	}
	var out []field
	for _, p := range pairs {
		name, err := r.text(p.Key, "a name")
		if err != nil {
			return nil, err
		}
		name = cmp.Or(oldKeys[name], name)
		at := r.at(p.Key.GetToken())
		if i := slices.IndexFunc(out, func(f field) bool { return f.name == name }); i >= 0 {
			return nil, at.Errorf("%q is here for the second time; the first is in line %d; remove one",
				name, out[i].at.Line)
		}
		out = append(out, field{name, at, p.Value})
	}
	return out, nil
}

// sequence returns the items of a list.
func (r yamlReader) sequence(n ast.Node, what string) ([]ast.Node, error) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil,
			r.at(n.GetToken()).Errorf(
				"%s must be a list (each item on a line of its own, after a dash), not %s", what, kind(n))
	}
	return s.Values, nil
}

// text returns a single value as it is written.
func (r yamlReader) text(n ast.Node, what string) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", r.at(n.GetToken()).Errorf("%s must be one value, not %s", what, kind(n))
}

// texts returns one value or a list of them; a mapping becomes a list of name=value.
func (r yamlReader) texts(n ast.Node, what string) (out []string, err error) {
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			s, err := r.text(v, "an item of "+what)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	case *ast.MappingNode, *ast.MappingValueNode:
		fields, err := r.mapping(n, what)
		for _, f := range fields {
			s, err := r.text(f.value, f.name)
			if err != nil {
				return nil, err
			}
			out = append(out, f.name+"="+s)
		}
		return out, err
	}
	s, err := r.text(n, what)
	return []string{s}, err
}

// kind says what a node is, for people.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "names with values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return "an anchor or an alias (use defaults)"
	case *ast.TagNode:
		return "a tag"
	}
	return "a single value"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func digest(src []byte) string {
	sum := sha256.Sum256(src)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// unknown is the error for a name that is none of those there are.
func (f field) unknown(known []string) error {
	near := ""
	for _, k := range known {
		if strings.ReplaceAll(f.name, "-", "_") == k || len(f.name) > 2 &&
			(strings.HasPrefix(k, f.name) || strings.HasPrefix(f.name, k)) {
			near = fmt.Sprintf("; did you mean %q?", k)
			break
		}
	}
	if near == "" {
		near = "; there are: " + strings.Join(known, ", ")
	}
	return f.at.Errorf("unknown key %q%s", f.name, near)
}
