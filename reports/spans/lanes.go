package spans

import (
	"cmp"
	"slices"
)

// nest sorts the spans of a track into lanes, because viewers draw only nested spans in one row.
// A renewal in the background may overlap a call, and holds of two locks may overlap each other.
func (t *track) nest() {
	slices.SortStableFunc(t.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var open [][]int // by lane: the enclosing spans
	for i := range t.spans {
		s := &t.spans[i]
		s.lane, s.parent = len(open), -1
		for l, stack := range open {
			for len(stack) > 0 && t.spans[stack[len(stack)-1]].to <= s.from {
				stack = stack[:len(stack)-1]
			}
			open[l] = stack
			if len(stack) == 0 || t.spans[stack[len(stack)-1]].to >= s.to {
				s.lane = l
				break
			}
		}
		if s.lane == len(open) {
			open = append(open, nil)
		}
		if stack := open[s.lane]; len(stack) > 0 {
			s.parent = stack[len(stack)-1]
		}
		open[s.lane] = append(open[s.lane], i)
	}
}

// lanes returns the number of lanes, at least one.
func (t *track) lanes() (n int) {
	n = 1
	for i := range t.spans {
		n = max(n, t.spans[i].lane+1)
	}
	return n
}
