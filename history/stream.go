package history

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Stream reads a history as Recorder writes it, event by event, and keeps nothing: begin gets the
// header, and event each event in turn until it wants no more. An event is only valid during its
// call. Events must come in the order of their stamps. Errors are as in Read.
func Stream(r io.Reader, begin func(Header), event func(*Event) (more bool)) error {
	var h Header
	var e Event
	v, s, last := NewValidator(), newScanner(), int64(math.MinInt64)
	err := lines(r, func(n int, line []byte) error {
		if n == 1 {
			err := readHeader(line, &h)
			if err == nil {
				begin(h)
			}
			return err
		}
		e = Event{}
		if err := s.readEvent(line, h.Format, &e); err != nil {
			return err
		}
		if err := v.add(&e); err != nil {
			return err
		}
		if e.T < last && e.Type != End {
			return fmt.Errorf("its stamp %d is before %d, that of an earlier line; a stream is read in "+
				"the order of its stamps", e.T, last)
		}
		last = max(last, e.T)
		if !event(&e) {
			return errEnough
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && h.Format == 0:
		return &LineError{1, errEmpty}
	}
	return err
}

// errEnough ends the reading of a stream of which no more is wanted.
var errEnough = errors.New("enough")
