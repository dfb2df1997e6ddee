package lineartest

import "container/heap"

// Queue holds the future events of a simulated service in the order of their times. Equal times
// keep the order of insertion. The zero Queue is empty.
type Queue struct {
	later happenings
	seq   int
}

// Put schedules f at t.
func (q *Queue) Put(t int64, f func()) {
	q.seq++
	heap.Push(&q.later, happening{t, q.seq, f})
}

// Run lets everything happen that is in the queue or comes into it, and tells each time first.
func (q *Queue) Run(now *int64) {
	for len(q.later) > 0 {
		h := heap.Pop(&q.later).(happening)
		*now = h.t
		h.f()
	}
}

type happening struct {
	t   int64
	seq int
	f   func()
}

type happenings []happening

func (q happenings) Len() int { return len(q) }
func (q happenings) Less(i, j int) bool {
	return q[i].t < q[j].t || q[i].t == q[j].t && q[i].seq < q[j].seq
}
func (q happenings) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *happenings) Push(x any)   { *q = append(*q, x.(happening)) }
func (q *happenings) Pop() any     { o := *q; x := o[len(o)-1]; *q = o[:len(o)-1]; return x }
