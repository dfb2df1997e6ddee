package linear

import (
	"math"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// A Sequence gives porcupine the question of Mutex on SpanOps piece by piece, while the holds
// arrive. The sure spans of a lock must be disjoint and in order. Slicer makes the pieces: it cuts
// where a span starts after enough operations. The memory grows with the number of locks.
type Sequence struct {
	Ruling
	timeout time.Duration
	batch   batch
	lanes   map[int]*lane
}

// lane is the piece of one lock that is not complete.
type lane struct {
	piece
	token int32
}

// NewSequence returns a sequence without a hold. The timeout is for each question to porcupine.
func NewSequence(timeout time.Duration) *Sequence {
	return &Sequence{Ruling: Ruling{Result: porcupine.Ok}, timeout: timeout, lanes: map[int]*lane{}}
}

// Add takes a hold, which lasts for more than no time, and after all others of its lock.
func (q *Sequence) Add(h *record.Hold) {
	l := q.lanes[h.Key]
	if l == nil {
		l = &lane{piece: piece{begin: math.MinInt64}}
		q.lanes[h.Key] = l
	}
	back := int64(record.Forever)
	if h.Ended == record.Released && h.Answer != history.Info {
		back = h.Returned
	}
	l.token++
	q.Operations += 2
	process := int32(h.Process)
	l.put(Op{Call: h.Leases[0].Call, Ret: h.From, Token: l.token, Process: process, Kind: Acquire})
	if len(l.ops) >= pieceOps {
		l.close(4*h.From, l.token)
		q.ask(l.ops)
		l.open(4*h.From, l.token)
	}
	l.put(Op{Call: h.End, Ret: back, Token: l.token, Process: process, Kind: Release})
}

// End takes the end of the history, and reports whether porcupine found all legal.
func (q *Sequence) End() bool {
	for _, l := range q.lanes {
		q.ask(l.ops)
	}
	q.decide()
	return q.Result == porcupine.Ok
}

// ask adds a piece to what porcupine is asked next.
func (q *Sequence) ask(piece []Op) {
	q.Slices++
	q.batch.add(piece)
	if len(q.batch.ops) >= batchOps {
		q.decide()
	}
}

func (q *Sequence) decide() {
	if start := time.Now(); q.Result == porcupine.Ok {
		q.rule(&q.batch, q.timeout)
		q.Took += time.Since(start)
	}
}
