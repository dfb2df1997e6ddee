package history

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Stream reads a history of Recorder, event by event, and keeps nothing. It calls begin with the
// header. Then it calls event with each event, in the order of the stamps, until event returns
// false. An event is only valid during its call. Lines may be as late as the header says. Errors
// are as in Read.
func Stream(r io.Reader, begin func(Header), event func(*Event) (more bool)) error {
	var h Header
	v, s, q := NewValidator(), newScanner(), queue{last: math.MinInt64 / 2, event: event}
	err := lines(r, func(n int, line []byte) error {
		if n == 1 {
			err := readHeader(line, &h)
			if err == nil {
				v.Allow(h.Late)
				q.late = int64(h.Late)
				begin(h)
			}
			return err
		}
		q.next = Event{}
		if err := s.readEvent(line, &q.next); err != nil {
			return err
		}
		if err := v.add(&q.next); err != nil {
			return err
		}
		return q.add()
	})
	if err == nil {
		err = q.empty()
	}
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && h.Format == 0:
		return &LineError{1, errEmpty}
	}
	return err
}

// A queue sorts events by their stamps. It keeps an event as long as an earlier one may still come.
type queue struct {
	late, last int64 // last is the latest stamp
	next       Event
	waiting    []Event // in order
	event      func(*Event) (more bool)
}

// add handles the next event.
func (q *queue) add() error {
	if q.next.Type == End {
		return q.end()
	}
	if q.next.T < q.last-q.late {
		return fmt.Errorf("its stamp %d is before %d, the stamp of an earlier line; a stream is read in "+
			"the order of its stamps", q.next.T, q.last)
	}
	q.last = max(q.last, q.next.T)
	if q.late == 0 {
		return q.give(&q.next)
	}
	at := len(q.waiting)
	for at > 0 && q.waiting[at-1].T > q.next.T {
		at--
	}
	q.waiting = slices.Insert(q.waiting, at, q.next)
	return q.release(q.last - q.late)
}

// release passes on the events with stamps before t.
func (q *queue) release(t int64) error {
	n := 0
	for ; n < len(q.waiting) && q.waiting[n].T < t; n++ {
		if err := q.give(&q.waiting[n]); err != nil {
			return err
		}
	}
	q.waiting = slices.Delete(q.waiting, 0, n)
	return nil
}

// end passes on all events, and the end last.
func (q *queue) end() error {
	if err := q.empty(); err != nil {
		return err
	}
	return q.give(&q.next)
}

func (q *queue) empty() error { return q.release(math.MaxInt64) }

func (q *queue) give(e *Event) error {
	if !q.event(e) {
		return errEnough
	}
	return nil
}

// errEnough stops a stream when its reader wants no more events.
var errEnough = errors.New("enough")
