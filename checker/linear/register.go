package linear

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// This file decides without search, in the time of a sort, whether a register (stepSection) can
// have produced some sections. It is exact if no value is written twice, and for counters, whose
// sections all write one more than they read. If values return, the question is as hard as a search
// (Gibbons and Korach, Testing Shared Memories, 1997), and porcupine has to answer it.
//
// If no value is written twice, the value that a section reads names the section that it follows.
// So the sections fall into blocks: a write that read nothing, the sections that read its value,
// the one of them that wrote upon it, the sections that read its new value, and so on. A block is
// contiguous in each linearization, and its writes are in one order. For a block let low be the
// first return in it and high the last call. The sections are linearizable if and only if
//  1. no value is written upon twice, and each value that is read was written, except for one that
//     may be the first value of the register; its block starts before all time;
//  2. in each block, no section returned before the call of a section that must precede it;
//  3. blocks with low < high are disjoint, and no other block's [high, low] lies inside one of
//     them.
//
// Necessary: a block starts before its first return and ends after its last call. Sufficient: move
// each section of a block with low < high to the nearest instant of [low, high] that its window
// allows, and the sections of each other block to one instant of [high, low] that 3 leaves.
//
// A write of unknown outcome counts if its value was read, and otherwise never happened: the write
// after it read nothing, and so does not need it. In a counter each value exists once. So of all
// sections that wrote upon one value only one took place: the one of known outcome or, without one,
// the one that was called first, since none of them has returned.

// Misplaced holds two sections that no order of a register allows. The second is nil if one
// suffices.
type Misplaced struct {
	Why  Misfit
	A, B *Section
}

// A Misfit is a reason why a register cannot have produced some sections.
type Misfit uint8

// The misfits. In all but the first two, the values force the order of A and B.
const (
	WroteUponOne Misfit = iota // both read one value and wrote, and it was written once
	TwoAtFirst                 // both read a value that was not written; one could be the first
	Unwritten                  // A read a value that only stood after A itself
	TooEarly                   // B comes after A by its value, and returned before A was called
	Interleaved                // A saw a value and B another in between, and none was written twice
)

// FastRegister decides without search whether a register can have produced some sections. It
// returns nil if so. exact is false if it cannot tell, because values return.
func FastRegister(ss []Section) (bad *Misplaced, exact bool) {
	r := register{writer: map[int64]*Section{}, upon: map[int64]*Section{},
		reads: map[int64][]*Section{}}
	if !r.sort(ss) {
		return nil, false
	}
	return r.decide()
}

// register is sections by the values that they read and wrote.
type register struct {
	writer map[int64]*Section   // that wrote the value
	upon   map[int64]*Section   // that read the value and wrote another
	reads  map[int64][]*Section // that read the value and wrote nothing else
	heads  []*Section           // that wrote without having read
	taken  []*Section           // all of these, in order
	unsure []*Section           // writes of unknown outcome
	counts bool                 // each wrote one more than it read
	twice  *Misplaced           // two wrote upon one value
	blocks blocks
}

// sort takes the sections that matter. It returns false if values return.
func (r *register) sort(ss []Section) bool {
	r.counts = true
	var wrote []*Section
	for i := range ss {
		s := &ss[i]
		switch {
		case s.Outcome == history.Fail && s.Read == Anything:
		case s.Outcome == history.Fail, s.Outcome == history.OK && s.Read == s.Wrote:
			r.reads[s.Read] = append(r.reads[s.Read], s)
			r.taken = append(r.taken, s)
		case s.Outcome == history.OK:
			wrote = append(wrote, s)
			r.counts = r.counts && s.Read != Anything && s.Wrote == s.Read+1
		case s.Read != s.Wrote:
			r.unsure = append(r.unsure, s)
			r.counts = r.counts && s.Read != Anything && s.Wrote == s.Read+1
		}
	}
	for _, s := range wrote {
		if !r.write(s) {
			return false
		}
	}
	return r.needed()
}

// write takes a section that wrote. It returns false if another section wrote the same value.
func (r *register) write(s *Section) bool {
	r.taken = append(r.taken, s)
	before := r.upon[s.Read]
	switch {
	case s.Read == Anything:
		r.heads = append(r.heads, s)
	case before == nil:
		r.upon[s.Read] = s
	case r.twice == nil:
		r.twice = &Misplaced{WroteUponOne, before, s}
	}
	if r.writer[s.Wrote] != nil {
		return r.counts
	}
	r.writer[s.Wrote] = s
	return true
}

// needed takes the writes of unknown outcome whose value was read by a section that counts. It
// returns false if several sections wrote that value.
func (r *register) needed() bool {
	by := map[int64]*Section{}
	for _, s := range r.unsure {
		o := by[s.Wrote]
		if o != nil && !r.counts {
			return false // also where neither is needed: that is rare, and porcupine can tell
		}
		if o == nil || s.From < o.From {
			by[s.Wrote] = s
		}
	}
	for i := 0; i < len(r.taken); i++ {
		s := by[r.taken[i].Read]
		if s == nil || r.counts && r.writer[s.Wrote] != nil {
			continue
		}
		delete(by, s.Wrote)
		if !r.write(s) {
			return false
		}
	}
	return true
}

// decide builds the blocks and looks whether they fit.
func (r *register) decide() (*Misplaced, bool) {
	first, other := r.unwritten()
	switch {
	case other != nil:
		return &Misplaced{TwoAtFirst, first, other}, true
	case r.twice != nil:
		return r.twice, r.counts || first != nil
	}
	if first != nil {
		first = r.begin(first)
	}
	left := len(r.writer)
	if first != nil {
		left -= r.block(nil, first.Read)
	}
	for _, h := range r.heads {
		left -= r.block(h, h.Wrote)
	}
	if left > 0 { // values that follow from each other in a circle
		return &Misplaced{Why: Unwritten, A: r.circle()}, first != nil
	}
	bad, at := r.blocks.misplaced()
	if bad == nil || first != nil {
		return bad, true
	}
	return r.otherwise(bad, at)
}

// unwritten returns sections that read a value that was not written: one, and one that read
// another such value.
func (r *register) unwritten() (first, other *Section) {
	for _, s := range r.taken {
		switch {
		case s.Read == Anything || r.writer[s.Read] != nil:
		case first == nil:
			first = s
		case s.Read != first.Read:
			return first, s
		}
	}
	return first, nil
}

// begin removes the writes of unknown outcome between the value of first, written by no section,
// and the first value that the register must have had. It returns a section that read that value.
// The register may have held it from the start, and nothing else needs those writes.
func (r *register) begin(first *Section) *Section {
	for first.Outcome == history.Info && r.reads[first.Read] == nil {
		delete(r.upon, first.Read)
		delete(r.writer, first.Wrote)
		v := first.Wrote
		if first = r.upon[v]; first == nil {
			first = r.reads[v][0]
		}
	}
	return first
}

// circle returns a section that wrote and is in no block.
func (r *register) circle() *Section {
	in := map[*Section]bool{}
	for _, b := range r.blocks {
		for _, s := range b.sections {
			in[s] = true
		}
	}
	return r.taken[slices.IndexFunc(r.taken, func(s *Section) bool {
		return !in[s] && r.writer[s.Wrote] == s
	})]
}

// block adds the block that begins with a write that read nothing (nil: with what the register held
// at first) and its value. It returns how many sections in it wrote.
func (r *register) block(head *Section, value int64) (writes int) {
	b := newBlock(head)
	for {
		b.addAll(r.reads[value])
		s := r.upon[value]
		if s == nil {
			break
		}
		b.put(s)
		b.upon = true
		value = s.Wrote
		writes++
	}
	if head != nil {
		writes++
	}
	r.blocks = append(r.blocks, b)
	return writes
}

// otherwise checks whether the register may have started with a value that was also written later:
// the value of one of the blocks that do not fit, since all others stay unchanged. Then the reads
// of that value that were called before anything else returned come first: the more of them there
// are, the less its block needs.
func (r *register) otherwise(bad *Misplaced, at []int) (*Misplaced, bool) {
	for _, i := range at {
		b := r.blocks[i]
		if b.upon {
			return bad, false // the value that was written upon could also be the first value
		}
		head := b.sections[0]
		limit := head.To
		for j, o := range r.blocks {
			if j != i {
				limit = min(limit, o.low)
			}
		}
		first, rest := newBlock(nil), newBlock(head)
		late := slices.Clone(r.reads[head.Wrote])
		first.addAll(slices.DeleteFunc(slices.Clone(late),
			func(s *Section) bool { return s.From > limit }))
		rest.addAll(slices.DeleteFunc(late, func(s *Section) bool { return s.From <= limit }))
		trial := slices.Clone(r.blocks)
		trial[i] = rest
		if wrong, _ := append(trial, first).misplaced(); wrong == nil {
			return nil, true
		}
	}
	return bad, true
}
