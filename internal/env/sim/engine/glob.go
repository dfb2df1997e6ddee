package engine

import "strings"

// Glob reports whether a text matches a pattern as Redis reads it: "*", "?", "[a-c]", "[^a]", and a
// backslash before a letter that means itself.
func Glob(pattern, text string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			pattern = strings.TrimLeft(pattern, "*")
			for i := range len(text) + 1 {
				if Glob(pattern, text[i:]) {
					return true
				}
			}
			return false
		case '[':
			if text == "" {
				return false
			}
			in, rest := class(pattern[1:], text[0])
			if !in {
				return false
			}
			pattern, text = rest, text[1:]
			continue
		case '\\':
			if len(pattern) > 1 {
				pattern = pattern[1:]
			}
			fallthrough
		default:
			if text == "" || pattern[0] != text[0] {
				return false
			}
		case '?':
			if text == "" {
				return false
			}
		}
		pattern, text = pattern[1:], text[1:]
	}
	return text == ""
}

// class reports whether a letter is in a class, whose text begins after the bracket, and returns
// what follows the class. A class that is not closed ends with the pattern.
func class(p string, letter byte) (in bool, rest string) {
	not := strings.HasPrefix(p, "^")
	if not {
		p = p[1:]
	}
	for p != "" && p[0] != ']' {
		switch {
		case p[0] == '\\' && len(p) > 1:
			in = in || p[1] == letter
			p = p[2:]
		case len(p) >= 3 && p[1] == '-':
			low, high := min(p[0], p[2]), max(p[0], p[2])
			in = in || low <= letter && letter <= high
			p = p[3:]
		default:
			in = in || p[0] == letter
			p = p[1:]
		}
	}
	return in != not, strings.TrimPrefix(p, "]")
}
