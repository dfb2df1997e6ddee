// Package strictyaml reads YAML files that people write, into structs. It rejects an unknown field,
// a value of another kind and a repeated name. The error is one line with the place and what to do.
// It also rejects a file that is too long or too deeply nested, before it builds anything from it,
// and anchors, aliases and tags.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxSize bounds the bytes that Parse reads.
const MaxSize = 1 << 20

// ErrEmpty reports that a file has no document.
var ErrEmpty = errors.New("the file is empty")

// Position is a place in a file, for errors.
type Position struct {
	File         string
	Line, Column int // from 1
}

// String returns "lockbench.yaml:12:5", or "line 12" if the file has no name.
func (p Position) String() string {
	if p.File == "" {
		return fmt.Sprintf("line %d", p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Errorf returns an error about the place: "lockbench.yaml:12:5: ...".
func (p Position) Errorf(format string, args ...any) error {
	return fmt.Errorf("%v: %w", p, fmt.Errorf(format, args...))
}

func position(file string, t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{file, 1, 1}
	}
	return Position{file, t.Position.Line, t.Position.Column}
}

// Parse reads a file with one document, of at most MaxSize bytes. The name is for errors.
func Parse(file string, src []byte) (Value, error) { return ParseUpTo(MaxSize, file, src) }

// ParseUpTo is Parse with another limit, in bytes.
func ParseUpTo(size int, file string, src []byte) (v Value, err error) {
	start := Position{file, 1, 1}
	defer func() { // the YAML library may panic on some input
		if p := recover(); p != nil {
			v, err = Value{}, start.Errorf("it cannot be read: %v", p)
		}
	}()
	if len(src) > size {
		return v, start.Errorf("the file is too long; at most %d bytes are read", size)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff")) // some editors start a file with it
	tokens := lexer.Tokenize(string(src))
	if err := bounded(file, tokens); err != nil {
		return v, err
	}
	f, err := parser.Parse(tokens, 0)
	if err != nil {
		return v, syntax(file, err)
	}
	var body ast.Node
	for _, d := range f.Docs {
		switch {
		case d.Body == nil:
		case body != nil:
			return v, position(file, d.Body.GetToken()).Errorf(
				"a second document begins here; there may be one")
		default:
			body = d.Body
		}
	}
	if body == nil {
		return v, start.Errorf("%w", ErrEmpty)
	}
	return Value{file: file, name: "the file", node: body}, nil
}

// syntax returns an error of the library in one line, without its picture of the source.
func syntax(file string, err error) error {
	if at, ok := errors.AsType[yaml.Error](err); ok {
		return position(file, at.GetToken()).Errorf("%s", strings.ReplaceAll(at.GetMessage(), "\n", " "))
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return Position{file, 1, 1}.Errorf("%s", line)
}

// maxDepth bounds the depth of lists and mappings. The parser of the library is recursive, and an
// unclosed list or mapping costs it much memory.
const maxDepth = 100

// nesting counts the depth of the document at the latest token.
type nesting struct {
	flow   int   // brackets and braces that are open
	blocks []int // columns of the open lists and mappings by indentation
	line   int
	opens  bool // another list or mapping can start after the last token
}

// bounded returns an error if a file is nested too deeply, or has tokens that are refused.
func bounded(file string, tokens token.Tokens) error {
	var n nesting
	for _, t := range tokens {
		if n.add(t); n.flow+len(n.blocks) > maxDepth {
			return position(file, t).Errorf(
				"it is nested more than %d levels deep; no file needs that", maxDepth)
		}
		if kind, ok := refused[t.Type]; ok {
			return position(file, t).Errorf("%s is not supported; write the value in full", kind)
		}
	}
	return nil
}

// refused lists the tokens that make one value refer to another or change its type.
var refused = map[token.Type]string{token.AnchorType: "an anchor (&)",
	token.AliasType: "an alias (*)", token.MergeKeyType: "a merge key (<<)",
	token.TagType: "a tag (!)"}

func (n *nesting) add(t *token.Token) {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.flow++
	case token.SequenceEndType, token.MappingEndType:
		n.flow = max(n.flow-1, 0)
	case token.DocumentHeaderType, token.DocumentEndType:
		*n = nesting{}
	}
	if n.flow == 0 && (t.Position.Line != n.line || n.opens) {
		for last := len(n.blocks) - 1; last >= 0 && n.blocks[last] >= t.Position.Column; last-- {
			n.blocks = n.blocks[:last]
		}
		n.blocks = append(n.blocks, t.Position.Column)
	}
	n.line = t.Position.Line
	n.opens = t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
}
