package edn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Map is a map of EDN with keywords as keys, in the order of the text. Values are Map, []string,
// string, bool, integers and Keyword; any other value is written as a string.
type Map []Pair

// Pair is an entry of a Map.
type Pair struct {
	Key   string // without the colon; a character that a keyword cannot have becomes a dash
	Value any
}

// Keyword is a keyword as a value of a Map, without its colon.
type Keyword string

// Put adds an entry.
func (m *Map) Put(key string, value any) { *m = append(*m, Pair{key, value}) }

// String writes the map over several lines, without any tag, so that every reader of EDN takes it.
func (m Map) String() string { return m.indented(1) + "\n" }

func (m Map) indented(depth int) string {
	var b strings.Builder
	b.WriteString("{")
	for i, p := range m {
		if i > 0 {
			b.WriteString(",\n" + strings.Repeat(" ", depth))
		}
		b.WriteString(mapKey(p.Key) + " " + mapValue(p.Value, depth+1))
	}
	return b.String() + "}"
}

// mapKey returns a keyword. It may end with a question mark, as Jepsen's :valid? does.
func mapKey(s string) string {
	word, question := strings.CutSuffix(s, "?")
	if question {
		return keyword(word) + "?"
	}
	return keyword(word)
}

func mapValue(v any, depth int) string {
	switch v := v.(type) {
	case Map:
		return v.indented(depth)
	case []string:
		quoted := slices.Clone(v)
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, " ") + "]"
	case Keyword:
		return keyword(string(v))
	case bool:
		return strconv.FormatBool(v)
	case int, int64, uint64:
		return fmt.Sprint(v)
	case nil:
		return "nil"
	}
	return quote(fmt.Sprint(v))
}
