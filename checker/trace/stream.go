package trace

import "github.com/lockbench/lockbench/internal/history"

// Stream is the sequence of commands that a node received, as it reported them, with reliable
// times. MONITOR stamps each command with the node's wall clock. A fault may have moved that clock.
// lockbench notes when it read the line, always later. Between two moves of the clock, the smallest
// difference of the two gives the clock's offset.
type Stream struct {
	lines    []line
	segments []segment // at least one, in order
}

// line is a line of MONITOR.
type line struct {
	t       int64   // stamp of the run
	wall    float64 // the node's own clock, in seconds
	segment int
	args    []string
}

// segment is a time during which the clock of a node was not moved.
type segment struct {
	from   int64
	offset float64 // wall clock at stamp 0, in seconds
	heard  bool    // something was read in it, so that offset is known
}

// wall returns the node's clock at a stamp, and at returns the stamp at which the clock shows a
// time.
func (s segment) wall(t int64) float64       { return float64(t)/1e9 + s.offset }
func (s segment) stampOf(wall float64) int64 { return int64((wall - s.offset) * 1e9) }

// Offset is how far a node's clock is from where it was at first, from a stamp on.
type Offset struct {
	T  int64
	By float64 // seconds
}

// Listen reads the output of MONITOR from a node whose clock was moved at these stamps, in order.
// It skips lines without a command.
func Listen(shown []history.NodeCommand, moves []int64) *Stream {
	s := &Stream{segments: []segment{{}}}
	for _, m := range moves {
		s.segments = append(s.segments, segment{from: m})
	}
	at := 0
	for i := range shown {
		said, ok := shown[i].Shown()
		wall, args := said.Wall, said.Args
		if !ok || len(args) < 2 {
			continue
		}
		for at+1 < len(s.segments) && shown[i].T >= s.segments[at+1].from {
			at++
		}
		seg := &s.segments[at]
		if d := wall - float64(shown[i].T)/1e9; !seg.heard || d > seg.offset {
			seg.offset, seg.heard = d, true
		}
		s.lines = append(s.lines, line{shown[i].T, wall, at, args})
	}
	for i := 1; i < len(s.segments); i++ {
		if !s.segments[i].heard {
			s.segments[i].offset = s.segments[i-1].offset
		}
	}
	for i := range s.lines {
		s.lines[i].t = s.stamp(s.lines[i])
	}
	return s
}

// stamp returns the node's own stamp, finer than the time of reading, unless the two are far apart.
func (s *Stream) stamp(l line) int64 {
	const late = 5e8
	if t := s.segments[l.segment].stampOf(l.wall); t <= l.t && l.t-t <= late {
		return t
	}
	return l.t
}

// Offsets returns the clock's offset in each segment with a command, or none if no command came
// before the first move of the clock.
func (s *Stream) Offsets() (os []Offset) {
	first := s.segments[0]
	for _, seg := range s.segments {
		if seg.heard && first.heard {
			os = append(os, Offset{seg.from, seg.offset - first.offset})
		}
	}
	return os
}
