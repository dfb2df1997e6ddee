package history

import (
	"math"
	"time"
)

// A scanner reads the usual line of an event, as Recorder writes it, without reflection: fields in
// the order of Event, no space between them, and texts of plain ASCII. It leaves every other line,
// and every error, to encoding/json, which gives the same result for the usual lines. Events share
// the values that they point to; callers must not change them.
type scanner struct {
	line  []byte
	i     int
	words map[string]string   // the texts so far
	times map[string]Duration // the durations so far
	keys  map[int]*int
	// spare values: one allocation makes many
	grants []Grant
	values []int64
}

func newScanner() *scanner {
	return &scanner{words: map[string]string{}, times: map[string]Duration{}, keys: map[int]*int{}}
}

// event reads a line into an empty event. If it returns false, the line is not a usual one and e
// must not be used.
func (s *scanner) event(line []byte, e *Event) bool {
	s.line, s.i = line, 0
	return s.object(func(name []byte) int { return s.field(name, e) }) && s.i == len(line)
}

// object reads { fields }. The function field reads the value of one field and returns the field's
// place in the order, from 1, or 0 if it failed. object fails if a field occurs twice or out of
// order.
func (s *scanner) object(field func(name []byte) int) bool {
	if !s.next('{') {
		return false
	}
	for last := 0; ; {
		name, ok := s.text()
		if !ok || !s.next(':') {
			return false
		}
		at := field(name)
		if at <= last {
			return false
		}
		last = at
		if !s.next(',') {
			return s.next('}')
		}
	}
}

// field reads the value of a field of an event.
func (s *scanner) field(name []byte, e *Event) int {
	switch string(name) {
	case "type":
		return place(1, s.word((*string)(&e.Type)))
	case "t":
		return place(2, s.number(&e.T))
	case "process":
		return place(3, s.small(&e.Process))
	case "f":
		return place(4, s.word(&e.F))
	case "n":
		return place(5, s.small(&e.N))
	case "key":
		return place(6, s.key(&e.Key))
	case "mode":
		return place(7, s.word(&e.Mode))
	case "depth":
		return place(8, s.small(&e.Depth))
	case "value":
		e.Value = next(&s.values)
		return place(9, s.number(e.Value))
	case "grant":
		e.Grant = next(&s.grants)
		return place(10, s.object(func(name []byte) int { return s.granted(name, e.Grant) }))
	case "err":
		return place(11, s.word(&e.Err))
	case "why":
		return place(12, s.word((*string)(&e.Why)))
	case "gap":
		return place(13, s.duration(&e.Gap))
	}
	return 0 // events of faults and of the end are rare
}

// granted reads the value of a field of a grant.
func (s *scanner) granted(name []byte, g *Grant) int {
	switch string(name) {
	case "sent":
		return place(1, s.number(&g.Sent))
	case "lease":
		return place(2, s.duration(&g.Lease))
	case "valid_until":
		return place(3, s.number(&g.ValidUntil))
	case "token":
		return place(4, s.number(&g.Token))
	case "node":
		return place(5, s.word(&g.Node))
	}
	return 0
}

// place returns at, or 0 if the value was not read.
func place(at int, ok bool) int {
	if !ok {
		return 0
	}
	return at
}

// next returns the next of many spare values.
func next[T any](many *[]T) *T {
	if len(*many) == 0 {
		*many = make([]T, 512)
	}
	v := &(*many)[0]
	*many = (*many)[1:]
	return v
}

func (s *scanner) next(c byte) bool {
	if s.i < len(s.line) && s.line[s.i] == c {
		s.i++
		return true
	}
	return false
}

// text reads a text without an escape, as bytes of the line.
func (s *scanner) text() ([]byte, bool) {
	if !s.next('"') {
		return nil, false
	}
	for i, c := range s.line[s.i:] {
		switch {
		case c == '"':
			text := s.line[s.i : s.i+i]
			s.i += i + 1
			return text, true
		case c < ' ' || c > '~' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// Most texts occur again and again. The scanner keeps only short ones.
const (
	mostWords   = 4096
	longestWord = 64
)

func (s *scanner) word(v *string) bool {
	text, ok := s.text()
	if !ok {
		return false
	}
	known, seen := s.words[string(text)]
	if !seen {
		known = string(text)
		if len(s.words) < mostWords && len(text) <= longestWord {
			s.words[known] = known
		}
	}
	*v = known
	return true
}

func (s *scanner) duration(v *Duration) bool {
	text, ok := s.text()
	if !ok {
		return false
	}
	if known, seen := s.times[string(text)]; seen {
		*v = known
		return true
	}
	d, err := time.ParseDuration(string(text))
	if err == nil && len(s.times) < mostWords {
		s.times[string(text)] = Duration(d)
	}
	*v = Duration(d)
	return err == nil
}

// number reads a whole number of at most 18 digits, so that an int64 can hold it.
func (s *scanner) number(v *int64) bool {
	sign := int64(1)
	if s.next('-') {
		sign = -1
	}
	from, n := s.i, int64(0)
	for ; s.i < len(s.line) && s.line[s.i]-'0' <= 9; s.i++ {
		n = n*10 + int64(s.line[s.i]-'0')
		if s.i-from >= 18 {
			return false
		}
	}
	*v = sign * n
	return s.i > from && (s.line[from] != '0' || s.i == from+1 && sign > 0)
}

func (s *scanner) small(v *int) bool {
	var n int64
	if !s.number(&n) || n < math.MinInt || n > math.MaxInt {
		return false
	}
	*v = int(n)
	return true
}

func (s *scanner) key(v **int) bool {
	var n int
	if !s.small(&n) {
		return false
	}
	key := s.keys[n]
	if key == nil {
		key = Ptr(n)
		s.keys[n] = key
	}
	*v = key
	return true
}
