package workloads

import "context"

// heeding is a hold whose client leaves when it is told that the hold is over.
type heeding struct {
	n     int
	leave context.CancelFunc
}

// holding returns until when the client of a cycle stands at breakpoints, and until when it stays
// inside. One that heeds its lock does neither once it was told.
func (w *Worker) holding(o Order) (stand, stay context.Context, done context.CancelFunc) {
	if o.Body != Heed {
		return w.life, w.stay, func() {}
	}
	ctx, leave := context.WithCancel(w.stay)
	w.heed.Store(&heeding{o.N, leave})
	return ctx, ctx, leave
}

// told ends hold n, if its client heeds its lock.
func (w *Worker) told(n int) {
	if h := w.heed.Load(); h != nil && h.n == n {
		h.leave()
	}
}
