package adapter

import (
	"strings"
	"testing"
	"time"
)

// TestAFloodOfNoticesIsBounded: a process may not say more than 500 things in a second that it was
// not asked for. One that floods more slowly adds one notice to the record for each hold.
func TestAFloodOfNoticesIsBounded(t *testing.T) {
	const second = int64(time.Second)
	lost := func(n int, at int64) Answer { return Answer{Is: isLost, N: n, T: at} }
	for _, c := range []struct {
		name       string
		n          int // answers
		gap        int64
		answer     func(i int) Answer
		news       int
		tooMany    bool
		neverAsked bool
	}{
		{"each of many short holds is lost once", 5000, second / 1000,
			func(i int) Answer { return lost(1+i, int64(i)) }, 5000, false, false},
		{"one hold is lost again and again", 600, second / 1000,
			func(int) Answer { return lost(1, 5) }, 1, true, false},
		{"a slow flood over two minutes", 400 * 120, second / 400,
			func(int) Answer { return lost(1, 5) }, 1, false, false},
		{"a slow flood about two holds by turns", 400 * 120, second / 400,
			func(i int) Answer { return lost(1+i%2, 5) }, 2, false, false},
		{"a repeated notice is earlier", 2, second,
			func(i int) Answer { return lost(1, int64(5-i)) }, 2, false, false},
		{"gaps", 600, second / 1000, func(int) Answer { return Answer{Is: isGap} }, 500, true, false},
		{"a hold that it never had", 1, second, func(int) Answer { return lost(5001, 5) }, 0, false,
			true},
		{"no hold", 1, second, func(int) Answer { return lost(0, 5) }, 0, false, true},
	} {
		s, news, last := notices{newest: 5000}, 0, error(nil)
		for i := 0; i < c.n && last == nil; i++ {
			isNew, err := s.see(c.answer(i), 2*second+int64(i)*c.gap)
			if last = err; isNew && err == nil {
				news++
			}
		}
		tooMany := last != nil && strings.Contains(last.Error(), "more than 500 things in a second")
		neverAsked := last != nil && strings.Contains(last.Error(), "never asked to acquire")
		if news != c.news || tooMany != c.tooMany || neverAsked != c.neverAsked {
			t.Errorf("%s: %d news, not %d: %v", c.name, news, c.news, last)
		}
	}
}

// TestALongNoticeIsCut: what a notice says is not kept whole, since a flood of long ones would fill
// the disk.
func TestALongNoticeIsCut(t *testing.T) {
	var got []Answer
	c := &child{notices: notices{newest: 1}, unasked: func(a Answer) { got = append(got, a) }}
	for _, by := range []string{strings.Repeat("x", maxLine-100), "callback"} {
		if err := c.takeNotice(Answer{Is: isLost, N: 1, T: 5, By: by}, 10); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 1 || len(got[0].By) != maxBy {
		t.Errorf("%d notices were kept: %.300v", len(got), got)
	}
}
