package explore

import (
	"bytes"
	"strconv"
	"strings"
)

func lower(s string) string { return strings.ToLower(s) }

// Anywhere is the command of a gate that no client comes to: a search says when it is reached.
const Anywhere = "^anywhere$"

// spellReply shows a reply as it goes over the wire in the way of the trace: "OK", "1", "(nil)",
// "(error) …", "[a b]".
func spellReply(wire []byte) string {
	word, _ := spellValue(wire)
	return word
}

func spellValue(wire []byte) (word string, rest []byte) {
	head, rest, ok := bytes.Cut(wire, []byte("\r\n"))
	if !ok || len(head) == 0 {
		return "", nil
	}
	body := string(head[1:])
	switch head[0] {
	case '-':
		return "(error) " + body, rest
	case '$':
		n, err := strconv.Atoi(body)
		if err != nil || n < 0 || n+2 > len(rest) {
			return "(nil)", rest
		}
		return string(rest[:n]), rest[n+2:]
	case '*':
		n, err := strconv.Atoi(body)
		if err != nil || n < 0 {
			return "(nil)", rest
		}
		words := []string{}
		for range n {
			if len(rest) == 0 {
				break
			}
			word, rest = spellValue(rest)
			words = append(words, word)
		}
		return "[" + strings.Join(words, " ") + "]", rest
	}
	return body, rest
}
