package resp

import "bytes"

// form is the layout of a kind of value.
type form uint8

const (
	unknown form = iota
	lineOf       // the value is its first line
	bytesOf      // the first line gives the number of bytes that follow
	several      // the first line gives the number of values that follow
)

// layout returns the form of a kind, in RESP2 or RESP3. Of several values, each counts for per, and
// more are added.
func layout(kind byte) (f form, per, more int) {
	switch kind {
	case '+', '-', ':', '_', '#', ',', '(':
		return lineOf, 0, 0
	case '$', '!', '=':
		return bytesOf, 0, 0
	case '*', '~', '>':
		return several, 1, 0
	case '%': // names and values
		return several, 2, 0
	case '|': // attributes, and the value that they describe
		return several, 2, 1
	}
	return unknown, 0, 0
}

// meter measures values that arrive in pieces. It keeps nothing of them but an incomplete line.
type meter struct {
	line   []byte // an incomplete line
	text   int    // remaining bytes of a string, with its end
	arrays []int  // remaining items of each open array
	items  int    // of this value
	size   int    // bytes of this value
}

// take reads the bytes b. After an error, its state is undefined.
func (m *meter) take(b []byte) error {
	for len(b) > 0 {
		used, _, err := m.next(b)
		if err != nil {
			return err
		}
		b = b[used:]
	}
	return nil
}

// next reads to the end of the current value, or to the end of b.
func (m *meter) next(b []byte) (used int, whole bool, err error) {
	for used < len(b) && !whole && err == nil {
		part := m.part(b[used:])
		used, m.size = used+len(part), m.size+len(part)
		whole, err = m.read(part)
	}
	return used, whole, err
}

// part returns the part of b that read takes at once: of a string, or of a line.
func (m *meter) part(b []byte) []byte {
	if m.text > 0 {
		return b[:min(m.text, len(b))]
	}
	if end := bytes.IndexByte(b, '\n'); end >= 0 {
		return b[:end+1]
	}
	return b
}

// read reads a part of a string, or of a line up to its end.
func (m *meter) read(b []byte) (whole bool, err error) {
	if m.text > 0 {
		m.text -= len(b)
		return m.text == 0 && m.ended(), nil
	}
	m.line = append(m.line, b...)
	if len(m.line) > maxLine {
		return false, ErrProtocol
	}
	if b[len(b)-1] != '\n' {
		return false, nil
	}
	line, ended := bytes.CutSuffix(m.line, []byte("\r\n"))
	m.line = m.line[:0]
	if !ended || len(line) == 0 {
		return false, ErrProtocol
	}
	return m.begin(line[0], line[1:])
}

// begin reads the first line of a value.
func (m *meter) begin(kind byte, line []byte) (whole bool, err error) {
	f, per, more := layout(kind)
	switch f {
	case lineOf:
		return m.ended(), nil
	case bytesOf:
		n, ok := length(line, MaxReply-min(m.size, MaxReply))
		if !ok {
			return false, ErrProtocol
		}
		if n < 0 {
			return m.ended(), nil
		}
		m.text = n + len("\r\n")
		return false, nil
	case several:
		n, ok := length(line, MaxItems-m.items)
		if n > 0 || more > 0 {
			n = n*per + more
		}
		if !ok || m.items+n > MaxItems || len(m.arrays) == maxDepth || m.size > MaxReply {
			return false, ErrProtocol
		}
		if n <= 0 {
			return m.ended(), nil
		}
		m.items, m.arrays = m.items+n, append(m.arrays, n)
		return false, nil
	}
	return false, ErrProtocol
}

// ended counts a complete value, and the arrays that end with it. It reports whether no array is
// open.
func (m *meter) ended() bool {
	for last := len(m.arrays) - 1; last >= 0; last-- {
		if m.arrays[last]--; m.arrays[last] > 0 {
			return false
		}
		m.arrays = m.arrays[:last]
	}
	m.items, m.size = 0, 0
	return true
}
