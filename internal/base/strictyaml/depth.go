package strictyaml

import (
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

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

// bounded returns an error if a file is nested too deeply. It scans tokens and builds nothing.
func bounded(file, src string) error {
	var s scanner.Scanner
	s.Init(src)
	var n nesting
	for {
		tokens, err := s.Scan()
		if err != nil {
			return nil // the end, or what the parser says better
		}
		for _, t := range tokens {
			if n.add(t); n.flow+len(n.blocks) > maxDepth {
				return position(file, t).Errorf(
					"it is nested more than %d levels deep; no file needs that", maxDepth)
			}
			if kind, ok := refused[t.Type]; ok {
				return position(file, t).Errorf("%s is not supported; write the value in full", kind)
			}
		}
	}
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
