package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
)

// block is sections that come one after the other, without others in between.
type block struct {
	sections  []*Section
	low, high int64 // the first return, the last call
	upon      bool  // a section of it wrote upon what another one wrote, or the register held
	now       int64 // the earliest instant at which what comes next can be
	early     *Misplaced
	last      *Section // that now is the call of
}

// newBlock returns the block of a write, or for nil the block of the register's initial value,
// before all time.
func newBlock(head *Section) block {
	if head == nil {
		return block{low: math.MinInt64, high: math.MinInt64, now: math.MinInt64}
	}
	b := block{low: record.Forever, high: math.MinInt64, now: math.MinInt64}
	b.put(head)
	return b
}

// put adds the section that comes next.
func (b *block) put(s *Section) {
	b.add(s)
	b.advance(s)
}

// addAll adds sections that come next in any order.
func (b *block) addAll(ss []*Section) {
	for _, s := range ss {
		b.add(s)
	}
	for _, s := range ss {
		b.advance(s)
	}
}

func (b *block) add(s *Section) {
	b.sections = append(b.sections, s)
	b.low, b.high = min(b.low, s.To), max(b.high, s.From)
	if s.To < b.now && b.early == nil {
		b.early = &Misplaced{TooEarly, b.last, s}
	}
}

func (b *block) advance(s *Section) {
	if s.From > b.now {
		b.now, b.last = s.From, s
	}
}

// extremes returns the section that returned first and the one that was called last.
func (b *block) extremes() (first, last *Section) {
	first = slices.MinFunc(b.sections, func(a, o *Section) int { return cmp.Compare(a.To, o.To) })
	last = slices.MaxFunc(b.sections, func(a, o *Section) int { return cmp.Compare(a.From, o.From) })
	return first, last
}

// blocks are all sections of a register.
type blocks []block

// misplaced returns the sections that do not fit, and the indexes of their blocks.
func (bs blocks) misplaced() (bad *Misplaced, at []int) {
	var long, short []int
	for i := range bs {
		switch b := &bs[i]; {
		case b.early != nil:
			return b.early, []int{i}
		case b.low < b.high:
			long = append(long, i)
		case len(b.sections) > 0:
			short = append(short, i)
		}
	}
	byLow := func(i, j int) int {
		return cmp.Or(cmp.Compare(bs[i].low, bs[j].low), cmp.Compare(bs[i].high, bs[j].high))
	}
	slices.SortFunc(long, byLow)
	for k := 1; k < len(long); k++ {
		if a, b := long[k-1], long[k]; bs[b].low < bs[a].high {
			return bs.interleaved(a, b), []int{a, b}
		}
	}
	for _, i := range short {
		lo, hi := bs[i].high, bs[i].low
		k, _ := slices.BinarySearchFunc(long, lo, func(j int, t int64) int {
			if bs[j].low < t {
				return -1
			}
			return 1
		})
		if k > 0 && hi < bs[long[k-1]].high {
			return bs.interleaved(long[k-1], i), []int{long[k-1], i}
		}
	}
	return nil, nil
}

// interleaved names two sections: one of block a must come before one of block b, and that one must
// come before another section of block a.
func (bs blocks) interleaved(a, b int) *Misplaced {
	_, last := bs[a].extremes()
	first, _ := bs[b].extremes()
	return &Misplaced{Interleaved, last, first}
}
