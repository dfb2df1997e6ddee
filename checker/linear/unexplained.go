package linear

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Unexplained returns the first answer that no order of a register's sections explains: a register
// can have given the answers before it, and with it none can. A section without an answer so far
// counts as unknown. The answer is never a write, which fits at the end. A search of porcupine ends
// after a part of the timeout. If one does, Unexplained may return a later answer, or nil.
func Unexplained(ss []Section, timeout time.Duration) *Section {
	const searches = 20 // about as many as halving needs
	ss = slices.Clone(ss)
	slices.SortStableFunc(ss, func(a, b Section) int { return cmp.Compare(a.To, b.To) })
	answers := sort.Search(len(ss), func(i int) bool { return ss[i].To == record.Forever })
	illegal := func(i int) bool {
		known := upTo(ss, i)
		bad, exact := FastRegister(known)
		if exact {
			return bad != nil
		}
		r := Register(known, timeout/searches)
		return r.Illegal()
	}
	i := sort.Search(answers, illegal)
	if i == answers || !illegal(i) {
		return nil
	}
	return &ss[i]
}

// upTo returns the sections as they were known when section i returned. They are in the order of
// their returns.
func upTo(ss []Section, i int) []Section {
	known := slices.Clone(ss[:i+1])
	for _, s := range ss[i+1:] {
		if s.Outcome != history.Fail && s.From <= ss[i].To { // a read says nothing before it returns
			s.Outcome, s.To = history.Info, record.Forever
			known = append(known, s)
		}
	}
	return known
}
