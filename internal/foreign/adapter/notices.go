package adapter

import (
	"fmt"
	"time"
)

// The limits of what a process says unasked.
const (
	maxSecond = 500 // gaps, and repeated notices of a loss, in a second
	maxBy     = 200 // bytes of the way in which a loss was noticed
)

// notices bounds what a process says unasked. The first notice of each hold's loss is free, because
// a right library gives one for each hold, however short. Only gaps and repetitions count.
type notices struct {
	newest int           // the newest acquisition that was ordered
	lost   map[int]int64 // the earliest stamp of a notice, by acquisition
	recent int           // counted answers since the second began
	second int64
}

// takeNotice handles a loss or a gap. A repeated notice of the same loss tells nothing new, and is
// dropped unless its stamp is earlier.
func (c *child) takeNotice(a Answer, now int64) error {
	if err := stamped(a, c.started, now); err != nil {
		return err
	}
	c.mu.Lock()
	news, err := c.notices.see(a, now)
	c.mu.Unlock()
	if news && err == nil {
		a.By = a.By[:min(len(a.By), maxBy)]
		c.unasked(a)
	}
	return err
}

// see reports whether an answer tells anything new. It returns an error if there are too many, or
// if the acquisition was never ordered.
func (s *notices) see(a Answer, now int64) (news bool, err error) {
	if a.Is == isGap {
		return true, s.count(now)
	}
	if a.N < 1 || a.N > s.newest {
		return false, fmt.Errorf("it says that n=%d is lost, but it was never asked to acquire that", a.N)
	}
	at, told := s.lost[a.N]
	if told {
		err = s.count(now)
	}
	if told && at <= a.T {
		return false, err
	}
	if s.lost == nil {
		s.lost = map[int]int64{}
	}
	s.lost[a.N] = a.T
	return true, err
}

// count returns an error if the process said too much in a second.
func (s *notices) count(now int64) error {
	if now-s.second > int64(time.Second) {
		s.second, s.recent = now, 0
	}
	if s.recent++; s.recent > maxSecond {
		return fmt.Errorf("it said more than %d things in a second that it was not asked for", maxSecond)
	}
	return nil
}
