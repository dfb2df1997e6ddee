package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
)

// This file makes a history of a mutex small enough for porcupine without changing the answer: it
// drops operations that cannot matter, and cuts the rest at instants where the holder is certain.
//
// Dropping. All of these may be dropped, because a linearization without them can be turned into
// one with them, and the other way round:
//   - an acquire that was refused: always legal, no effect;
//   - an unknown acquire without a successful release, with all releases of its token: take the
//     token's hold out of a linearization and every other token finds the mutex free more often,
//     which is always legal; put the unknown ones back at the very end, and the refused ones
//     anywhere, since the token never holds;
//   - an unknown release of a token with a successful one: the successful one found the mutex held,
//     so the unknown one did nothing before it; it goes last;
//   - of the unknown releases of a token without a successful one, all but the first invoked: put
//     them last;
//   - a refused release whose window is not wholly inside its token's span: it fits before the
//     acquire or after the release.
//
// Cutting. The rest are spans [acquire returned, release invoked], points (a token that was
// released before its acquire returned) and operations that are wrong by themselves. At an instant
// inside exactly one span, outside all windows of points and wrong operations, the holder is
// certain. The history is linearizable if and only if the pieces are, where each piece starts with
// the mutex held by that holder and must end so. If there is a linearization at all, there is one
// in which every span is as short as possible (proof at FastMutex), and a cut does not harm it.
// Pieces that start and end with the same holder join. Windows are only ever narrowed, and only so
// far that the shortest spans still fit.

// A Token holds all facts of a history about one acquisition.
type Token struct {
	From, End  int64 // acquire returned; release invoked, or forever
	unknownEnd int64 // first unknown release invoked, or forever
	// op indices, -1: none; release is the successful one, or the first unknown one
	acquire, release           int32
	firstUnknown, firstRefused int32 // op indices of releases, -1: none
	releases                   int32 // number of successful releases
	acquired, released         bool  // the acquire, the release, are known to have happened
}

// blank is a token without any facts.
var blank = Token{acquire: -1, release: -1, firstUnknown: -1, firstRefused: -1, End: record.Forever,
	unknownEnd: record.Forever}

// Tokens sorts operations by token. Tokens are numbered densely from 1.
func Tokens(ops []Op) []Token {
	n := int32(0)
	for i := range ops {
		n = max(n, ops[i].Token)
	}
	ts := make([]Token, n+1)
	for i := range ts {
		ts[i] = blank
	}
	for i := range ops {
		if o := &ops[i]; o.Kind == Release || o.Outcome != Refused {
			ts[o.Token].note(o, int32(i))
		}
	}
	for i := range ts {
		if t := &ts[i]; !t.released && t.acquired {
			t.release, t.End = t.firstUnknown, t.unknownEnd
		}
	}
	return ts
}

// note takes an operation of the token that is not a refused acquire.
func (t *Token) note(o *Op, i int32) {
	switch {
	case o.Kind == Acquire:
		t.acquire, t.acquired, t.From = i, o.Outcome == Done, o.Ret
	case o.Outcome == Done:
		t.releases++
		if o.Call < t.End || t.release < 0 {
			t.release, t.released, t.End = i, true, o.Call
		}
	case o.Outcome == Refused:
		if t.firstRefused < 0 {
			t.firstRefused = i
		}
	case o.Call < t.unknownEnd:
		t.firstUnknown, t.unknownEnd = i, o.Call
	}
}

// Core reports whether the token surely holds over [from, end]: not so if the release was invoked
// before the acquire returned.
func (t *Token) Core() bool { return t.acquired && t.From < t.End }

// needless reports whether everything about the token may be dropped.
func (t *Token) needless() bool { return !t.acquired && !t.released }

// mark is an instant at which something begins or ends that a cut has to know.
type mark struct {
	at   int64
	op   int32 // the operation that goes into the current piece here, or -1
	what markKind
}

// markKind says what changes at a mark. Beginnings come before endings of the same instant, as
// calls come before returns, except for spans: the end of a span is a call, its beginning is a
// return.
type markKind uint8

const (
	spanEnds markKind = iota
	noCutFrom
	lone // an operation that needs no more than its place
	spanBegins
	noCutTo
)

// Slicer cuts one key's operations into pieces.
type Slicer struct {
	ops    []Op
	tokens []Token
	marks  []mark
	min    int // operations that a piece should have at least
}

// NewSlicer returns a slicer of operations whose pieces have at least minOps where that can be.
func NewSlicer(ops []Op, minOps int) *Slicer {
	s := &Slicer{ops: ops, tokens: Tokens(ops), min: minOps}
	s.marks = make([]mark, 0, len(ops)+8)
	for i := range ops {
		s.place(int32(i))
	}
	slices.SortFunc(s.marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what), cmp.Compare(a.op, b.op))
	})
	return s
}

// place decides whether an operation is needed and where it goes.
func (s *Slicer) place(i int32) {
	o := &s.ops[i]
	t := &s.tokens[o.Token]
	switch {
	case o.Kind == Acquire && o.Outcome == Refused || t.needless():
	case o.Kind == Release && o.Outcome == Refused:
		if t.Core() && t.From < o.Call && o.Ret < t.End { // wrong by itself
			s.window(i, o.Call, o.Ret)
		}
	case i == t.acquire && t.Core():
		s.marks = append(s.marks, mark{t.From, i, spanBegins})
	case i == t.release && t.Core():
		s.marks = append(s.marks, mark{t.End, i, spanEnds})
	case i == t.acquire && t.release >= 0:
		s.point(t)
	case i == t.release && t.acquire >= 0: // placed with its acquire
	case o.Kind == Acquire || o.Outcome == Done:
		// a second success, or one without an acquire: wrong by itself
		s.marks = append(s.marks, mark{o.Call, i, lone})
	}
}

// point places the two operations of a token whose hold may be of no length at all: anywhere in the
// time that both windows allow.
func (s *Slicer) point(t *Token) {
	a, r := &s.ops[t.acquire], &s.ops[t.release]
	lo, hi := max(a.Call, r.Call), min(a.Ret, r.Ret)
	s.window(t.acquire, min(lo, hi), max(lo, hi))
	s.marks = append(s.marks, mark{min(lo, hi), t.release, lone})
}

// window places an operation at lo and forbids cuts from lo to hi.
func (s *Slicer) window(i int32, lo, hi int64) {
	s.marks = append(s.marks, mark{lo, i, noCutFrom}, mark{hi, -1, noCutTo})
}

// Pieces calls yield with each piece in turn until it returns false. A piece is only valid during
// the call. Its times are the history's, four times as large to make room for the operations in
// between.
func (s *Slicer) Pieces(yield func(piece []Op) bool) {
	p := piece{begin: math.MinInt64}
	inside, forbidden := 0, 0
	var holders int64 // sum of the tokens of all spans that are open; with one open, its token
	for i, m := range s.marks {
		if m.op >= 0 {
			p.put(s.ops[m.op])
		}
		switch m.what {
		case spanBegins:
			inside++
			holders += int64(s.ops[m.op].Token)
		case spanEnds:
			inside--
			holders -= int64(s.ops[m.op].Token)
		case noCutFrom:
			forbidden++
		case noCutTo:
			forbidden--
		}
		last := i+1 == len(s.marks)
		// No cut between marks of one instant: the answer would be the same, but a piece is easier to
		// read whole.
		if last || inside != 1 || forbidden != 0 || len(p.ops) < s.min || s.marks[i+1].at == m.at {
			continue
		}
		p.close(4*m.at, int32(holders))
		if !yield(p.ops) {
			return
		}
		p.open(4*m.at, int32(holders))
	}
	if len(p.ops) > 0 {
		yield(p.ops)
	}
}

// piece is one slice of a history.
type piece struct {
	ops   []Op
	begin int64 // nothing in it may take effect before
}

// put adds an operation, in the piece's times.
func (p *piece) put(o Op) {
	o.Call = max(4*o.Call, p.begin)
	if o.Ret != record.Forever {
		o.Ret = max(4*o.Ret, o.Call)
	}
	p.ops = append(p.ops, o)
}

// close ends the piece just after an instant at which the holder is certain.
func (p *piece) close(at int64, holder int32) {
	for i := range p.ops {
		p.ops[i].Ret = max(min(p.ops[i].Ret, at), p.ops[i].Call)
	}
	p.ops = append(p.ops, Op{Call: at + 1, Ret: at + 1, Token: holder, Process: -1, Kind: assertHeld})
}

// open begins the next piece there.
func (p *piece) open(at int64, holder int32) {
	p.ops = append(p.ops[:0], Op{Call: at + 2, Ret: at + 2, Token: holder, Process: -1,
		Kind: assumeHeld})
	p.begin = at + 3
}
