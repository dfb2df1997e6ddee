package resp

import (
	"bytes"
	"strconv"
	"strings"
)

// Line splits the first line of a reply into its kind (one of + - : $ *) and its text. Size counts
// the whole line with its end; it is 0 if b does not hold a whole line.
func Line(b []byte) (kind byte, text []byte, size int) {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 1 {
		return 0, nil, 0
	}
	return b[0], b[1:end], end + 2
}

// Size counts the bytes of the first reply in b, in RESP2 or RESP3. It returns 0 if b does not hold
// a whole reply.
func Size(b []byte) (int, error) {
	var m meter
	used, whole, err := m.next(b)
	if !whole || err != nil {
		return 0, err
	}
	return used, nil
}

// length reads the length of a string or an array. A length below 0 means null.
func length(text []byte, most int) (n int, ok bool) {
	n, err := strconv.Atoi(string(text))
	return n, err == nil && n >= -1 && n <= most
}

// Items returns the replies in an array or another aggregate, or nil if reply is not an aggregate.
func Items(reply []byte) (items [][]byte) {
	kind, line, at := Line(reply)
	f, per, more := layout(kind)
	n, ok := length(line, MaxItems)
	if f != several || more > 0 || !ok {
		return nil
	}
	for n *= per; n > 0; n-- {
		size, err := Size(reply[at:])
		if size == 0 || err != nil {
			return nil
		}
		items = append(items, reply[at:at+size])
		at += size
	}
	return items
}

// Text shows a whole reply in one line, as the trace has it: "OK", "1", "(nil)", "(error) …",
// "[a b]". It shows as much as there is if the bytes are not a whole reply.
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
	switch f, _, _ := layout(kind); f {
	case bytesOf:
		return stringOf(kind, line, rest)
	case several:
		return itemsOf(kind, line, rest)
	}
	switch kind {
	case '-':
		return "(error) " + string(line), rest
	case '_':
		return null, rest
	case '#': // in RESP2's form
		return map[string]string{"t": "1", "f": "0"}[string(line)], rest
	}
	return string(line), rest
}

// null is the text of a missing value.
const null = "(nil)"

// stringOf reads a string with the length in the line.
func stringOf(kind byte, line, b []byte) (text string, rest []byte) {
	n, ok := length(line, MaxBulk)
	if !ok || n < 0 || n+2 > len(b) {
		return null, b
	}
	text, rest = string(b[:n]), b[n+2:]
	switch kind {
	case '!':
		text = "(error) " + text
	case '=': // after "txt:"
		_, text, _ = strings.Cut(text, ":")
	}
	return text, rest
}

// itemsOf reads the number of values in the line, and returns them in brackets. For a map these are
// its names and values. It leaves out attributes.
func itemsOf(kind byte, line, b []byte) (text string, rest []byte) {
	n, ok := length(line, MaxItems)
	if !ok || n < 0 {
		return null, b
	}
	_, per, more := layout(kind)
	rest = b
	var items []string
	for n *= per; n > 0 && len(rest) > 0; n-- {
		text, rest = textOf(rest)
		items = append(items, text)
	}
	if more > 0 {
		return textOf(rest)
	}
	return "[" + strings.Join(items, " ") + "]", rest
}

// Rewrite replaces strings in a complete reply. It calls change with all strings, at any depth, in
// their order. change assigns the new ones.
func Rewrite(reply []byte, change func(texts []string)) []byte {
	var places []place
	var texts []string
	for at := 0; at < len(reply); {
		kind, line, head := Line(reply[at:])
		if head == 0 {
			return reply // it is incomplete
		}
		begin := at
		at += head
		if kind != '$' {
			continue
		}
		n, ok := length(line, len(reply)-at-len("\r\n"))
		if !ok {
			return reply
		}
		if n >= 0 {
			texts = append(texts, string(reply[at:at+n]))
			at += n + len("\r\n")
			places = append(places, place{begin, at})
		}
	}
	change(texts)
	var w Writer
	at := 0
	for i, p := range places {
		w.B = append(w.B, reply[at:p.begin]...)
		w.Bulk(texts[i])
		at = p.end
	}
	return append(w.B, reply[at:]...)
}

// A place is the position of a string in a reply.
type place struct{ begin, end int }
