package resp

import (
	"bytes"
	"strconv"
	"strings"
)

// Line splits the first line of a reply into its kind (one of + - : $ *) and its text. Size counts
// the whole line with its end; 0: b does not hold a whole line.
func Line(b []byte) (kind byte, text []byte, size int) {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 1 {
		return 0, nil, 0
	}
	return b[0], b[1:end], end + 2
}

// Size counts the bytes of the first reply in b; 0: b does not hold a whole one.
func Size(b []byte) (int, error) { return sizeOf(b, 0) }

func sizeOf(b []byte, depth int) (int, error) {
	kind, text, at := Line(b)
	if at == 0 {
		if len(b) > maxLine {
			return 0, ErrProtocol
		}
		return 0, nil
	}
	switch kind {
	case '+', '-', ':':
		return at, nil
	case '$':
		n, ok := length(text, MaxBulk)
		switch {
		case !ok:
			return 0, ErrProtocol
		case n < 0:
			return at, nil
		case at+n+2 > len(b):
			return 0, nil
		}
		return at + n + 2, nil
	case '*':
		n, ok := length(text, MaxItems)
		if !ok || depth == maxDepth {
			return 0, ErrProtocol
		}
		for range n {
			size, err := sizeOf(b[at:], depth+1)
			if size == 0 || err != nil {
				return 0, err
			}
			at += size
		}
		return at, nil
	}
	return 0, ErrProtocol
}

// length reads the length of a string or an array; below 0: it is null.
func length(text []byte, most int) (n int, ok bool) {
	n, err := strconv.Atoi(string(text))
	return n, err == nil && n >= -1 && n <= most
}

// Text shows a whole reply in one line, as the trace has it: "OK", "1", "(nil)", "(error) …",
// "[a b]". Of bytes that are no whole reply it shows as much as there is.
func Text(reply []byte) string {
	text, _ := textOf(reply)
	return text
}

func textOf(b []byte) (text string, rest []byte) {
	kind, line, at := Line(b)
	if at == 0 {
		return "", nil
	}
	rest = b[at:]
	switch kind {
	case '-':
		return "(error) " + string(line), rest
	case '$':
		n, ok := length(line, MaxBulk)
		if !ok || n < 0 || n+2 > len(rest) {
			return "(nil)", rest
		}
		return string(rest[:n]), rest[n+2:]
	case '*':
		n, ok := length(line, MaxItems)
		if !ok || n < 0 {
			return "(nil)", rest
		}
		var items []string
		for ; n > 0 && len(rest) > 0; n-- {
			text, rest = textOf(rest)
			items = append(items, text)
		}
		return "[" + strings.Join(items, " ") + "]", rest
	}
	return string(line), rest
}
