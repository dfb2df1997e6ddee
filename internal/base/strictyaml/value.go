package strictyaml

import (
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Value is a part of a file that has not been decoded. Decode fills a field of this type with its
// part of the file, for a later call.
type Value struct {
	file, name string
	node       ast.Node
}

// Field is a name in a mapping, with its value.
type Field struct {
	Name  string
	At    Position // of the name
	Value Value
}

// Errorf returns an error about the place of the value.
func (v Value) Errorf(format string, args ...any) error {
	return v.position().Errorf(format, args...)
}

func (v Value) position() Position { return position(v.file, v.node.GetToken()) }

// Given reports whether the file has this value.
func (v Value) Given() bool { return v.node != nil }

// Fields returns the pairs of a mapping. It returns an error if a name occurs twice.
func (v Value) Fields() (out []Field, err error) {
	var pairs []*ast.MappingValueNode
	switch n := v.node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return nil, v.Errorf("%s must be names with values (name: value), not %s", v.name, v.kind())
	}
	lines := map[string]int{}
	for _, p := range pairs {
		name, err := Value{v.file, "a name", p.Key}.Text()
		if err != nil {
			return nil, err
		}
		f := Field{name, position(v.file, p.Key.GetToken()), Value{v.file, name, p.Value}}
		if lines[name] > 0 {
			return nil, f.At.Errorf("%q is here for the second time; the first is in line %d; remove one",
				name, lines[name])
		}
		lines[name] = f.At.Line
		out = append(out, f)
	}
	return out, nil
}

// Items returns the values of a list.
func (v Value) Items() (out []Value, err error) {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		return nil, v.Errorf("%s must be a list (each item on a line of its own, after a dash), not %s",
			v.name, v.kind())
	}
	for _, n := range s.Values {
		out = append(out, Value{v.file, "an item of " + v.name, n})
	}
	return out, nil
}

// Text returns a single value as in the file, without its quotes.
func (v Value) Text() (string, error) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NanNode, *ast.InfinityNode:
		return n.GetToken().Value, nil
	}
	return "", v.Errorf("%s must be one value, not %s", v.name, v.kind())
}

// Texts returns the items of a list, or a single value as a list. A mapping becomes a list of
// name=value.
func (v Value) Texts() (out []string, err error) {
	switch v.node.(type) {
	case *ast.SequenceNode:
		items, err := v.Items()
		for _, item := range items {
			s, err := item.Text()
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, err
	case *ast.MappingNode, *ast.MappingValueNode:
		fields, err := v.Fields()
		for _, f := range fields {
			s, err := f.Value.Text()
			if err != nil {
				return nil, err
			}
			out = append(out, fmt.Sprintf("%s=%s", f.Name, s))
		}
		return out, err
	}
	s, err := v.Text()
	return []string{s}, err
}

// null reports whether the file has an explicit null, and not just an empty value.
func (v Value) null() bool {
	_, null := v.node.(*ast.NullNode)
	return null && v.node.GetToken().Type == token.NullType
}

// kind describes the type of a value for people.
func (v Value) kind() string {
	switch v.node.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "names with values"
	case *ast.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// CheckFormat returns an error if the field "format" of a document names another format than reads.
// The caller decides whether the field may be missing.
func (v Value) CheckFormat(reads int) error {
	fields, err := v.Fields()
	for _, f := range fields {
		text, _ := f.Value.Text()
		n, err := strconv.Atoi(text)
		if f.Name != "format" || err != nil {
			continue
		}
		if err := units.CheckFormat(n, reads); err != nil {
			return f.Value.Errorf("%w", err)
		}
	}
	return err
}
