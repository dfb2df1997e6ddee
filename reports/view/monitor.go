package view

import (
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/history"
)

// heard is a node's command stream with times that can be trusted. MONITOR stamps each command with
// the node's wall clock, which a fault may have moved, and lockbench notes when it read the line,
// which is always later. Between two moves of the clock the smallest difference of the two says
// where that clock was.
type heard struct {
	commands []command
	segments []segment // at least one, in order
}

// command is a line of MONITOR.
type command struct {
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

// wall is the node's clock at a stamp, at is the stamp at which it shows a time.
func (s segment) wall(t int64) float64  { return float64(t)/1e9 + s.offset }
func (s segment) at(wall float64) int64 { return int64((wall - s.offset) * 1e9) }

// Offset is how far a node's clock is from where it was at first, from a stamp on.
type Offset struct {
	T  int64
	By float64 // seconds
}

// listen reads a stream. Lines that are no commands are left out.
func listen(stream []history.NodeCommand, moves []int64) heard {
	h := heard{segments: []segment{{}}}
	for _, m := range moves {
		h.segments = append(h.segments, segment{from: m})
	}
	at := 0
	for i := range stream {
		wall, args, ok := parseMonitor(stream[i].Line)
		if !ok || len(args) < 2 {
			continue
		}
		for at+1 < len(h.segments) && stream[i].T >= h.segments[at+1].from {
			at++
		}
		s := &h.segments[at]
		if d := wall - float64(stream[i].T)/1e9; !s.heard || d > s.offset {
			s.offset, s.heard = d, true
		}
		h.commands = append(h.commands, command{stream[i].T, wall, at, args})
	}
	for i := range h.segments {
		if s := &h.segments[i]; !s.heard && i > 0 {
			s.offset = h.segments[i-1].offset
		}
	}
	for i := range h.commands {
		h.commands[i].t = h.stamp(h.commands[i])
	}
	return h
}

// stamp is the node's own, which is finer than the time of reading, unless the two are far apart.
func (h heard) stamp(c command) int64 {
	const late = 5e8
	t := h.segments[c.segment].at(c.wall)
	if t > c.t || c.t-t > late {
		return c.t
	}
	return t
}

// offsets are those of the segments in which something was heard.
func (h heard) offsets() (os []Offset) {
	for _, s := range h.segments {
		if s.heard {
			os = append(os, Offset{s.from, s.offset - h.segments[0].offset})
		}
	}
	if !h.segments[0].heard {
		return nil
	}
	return os
}

// parseMonitor reads a line like 1792000000.123456 [0 127.77.3.1:40112] "SETNX" "lock:0" "1792".
func parseMonitor(line string) (wall float64, args []string, ok bool) {
	stamp, rest, ok := strings.Cut(line, " [")
	if !ok {
		return 0, nil, false
	}
	wall, err := strconv.ParseFloat(stamp, 64)
	_, rest, ok = strings.Cut(rest, "] ")
	if err != nil || !ok {
		return 0, nil, false
	}
	for rest != "" {
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return 0, nil, false
		}
		a, err := strconv.Unquote(q)
		if err != nil {
			return 0, nil, false
		}
		args, rest = append(args, a), strings.TrimPrefix(rest[len(q):], " ")
	}
	return wall, args, true
}
