package edn

import (
	"errors"
	"fmt"
	"io"
)

// scanner finds the maps of a Jepsen history in a text, and their lines, because the EDN library
// does not report lines. The maps may be separate or in one vector or list.
type scanner struct {
	text   []byte
	pos    int
	line   int
	closer byte // of the vector or list around the maps, or 0
}

// next returns the text of the next map and its first line. It returns io.EOF after the last map.
func (s *scanner) next() ([]byte, int, error) {
	for {
		s.blank()
		if s.pos >= len(s.text) {
			if s.closer != 0 {
				return nil, s.line, fmt.Errorf("the text ends before the %q that closes the history", s.closer)
			}
			return nil, s.line, io.EOF
		}
		switch c := s.text[s.pos]; {
		case c == '{':
			line := s.line
			form, err := s.form()
			return form, line, err
		case c == '#' && s.tagged():
		case (c == '[' || c == '(') && s.closer == 0:
			s.closer = map[byte]byte{'[': ']', '(': ')'}[c]
			s.pos++
		case s.closer != 0 && c == s.closer:
			s.closer = 0
			s.pos++
		default:
			return nil, s.line, fmt.Errorf("expected a map {...}, found %q; %s", c, readable)
		}
	}
}

// tagged skips the tag of a map: #jepsen.history.Op{...}.
func (s *scanner) tagged() bool {
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '{' && i > s.pos+1:
			s.pos = i
			return true
		case c <= ' ' || c == '"' || c == '}' || c == '{':
			return false
		}
	}
	return false
}

// blank skips white space, commas and comments.
func (s *scanner) blank() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n':
			s.line++
		case ' ', '\t', '\r', ',':
		case ';':
			s.comment()
			continue
		default:
			return
		}
		s.pos++
	}
}

func (s *scanner) comment() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
}

// maxDepth bounds the depth of the input, because the EDN library is recursive.
const maxDepth = 100

// form returns the map that starts here, up to its closing brace.
func (s *scanner) form() ([]byte, error) {
	start, depth := s.pos, 0
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n':
			s.line++
		case '{', '[', '(':
			if depth++; depth > maxDepth {
				return nil, fmt.Errorf("brackets are nested deeper than %d", maxDepth)
			}
		case '}', ']', ')':
			depth--
		case '\\':
			s.pos++ // a character literal, even if it is a bracket
		case ';':
			s.comment()
			continue
		case '"':
			s.str()
		}
		s.pos++
		if depth == 0 {
			return s.text[start:min(s.pos, len(s.text))], nil
		}
	}
	return nil, errors.New("the text ends inside of a map")
}

// str moves to the quote that closes a string.
func (s *scanner) str() {
	for s.pos++; s.pos < len(s.text) && s.text[s.pos] != '"'; s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case '\n':
			s.line++
		}
	}
}
