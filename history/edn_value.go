package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// EDNMap is a map of EDN with keywords as keys, in the order in which it is written. Values are
// EDNMap, []string, string, bool, integers and Keyword; anything else is written as a string.
type EDNMap []EDNPair

// EDNPair is an entry of an EDNMap.
type EDNPair struct {
	Key   string // without the colon; what cannot stand in a keyword becomes a dash
	Value any
}

// Keyword is a keyword as a value of an EDNMap, without its colon.
type Keyword string

// Put adds an entry.
func (m *EDNMap) Put(key string, value any) { *m = append(*m, EDNPair{key, value}) }

// String writes the map over several lines, without any tag, so that every reader of EDN takes it.
func (m EDNMap) String() string { return m.indented(1) + "\n" }

func (m EDNMap) indented(depth int) string {
	var b strings.Builder
	b.WriteString("{")
	for i, p := range m {
		if i > 0 {
			b.WriteString(",\n" + strings.Repeat(" ", depth))
		}
		b.WriteString(ednKey(p.Key) + " " + ednValue(p.Value, depth+1))
	}
	return b.String() + "}"
}

// ednKey is a keyword that may end with a question mark, as Jepsen's :valid? does.
func ednKey(s string) string {
	word, question := strings.CutSuffix(s, "?")
	if question {
		return keyword(word) + "?"
	}
	return keyword(word)
}

func ednValue(v any, depth int) string {
	switch v := v.(type) {
	case EDNMap:
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
