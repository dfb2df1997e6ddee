// Package progress shows the progress of long work on a terminal. On any other writer it shows
// nothing.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"golang.org/x/term"
)

// Terminal reports whether w is a terminal that a person reads. It understands a file, or a wrapper
// with the method Fd.
func Terminal(w io.Writer) bool {
	f, ok := w.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// descriptor is an *os.File, or a wrapper of one.
type descriptor interface{ Fd() uintptr }

// every is the interval between two drawings of the line. Shorter work shows nothing.
const every = 200 * time.Millisecond

// Line is a line of a terminal that is drawn repeatedly.
type Line struct {
	end  chan struct{}
	once sync.Once
	done sync.WaitGroup
}

// Start draws the text for the time since Start, five times a second, until Stop. Another goroutine
// calls text, and only if w is a terminal.
func Start(w io.Writer, text func(took time.Duration) string) *Line {
	l := &Line{end: make(chan struct{})}
	if Terminal(w) {
		l.done.Go(func() { l.draw(w, text) })
	}
	return l
}

func (l *Line) draw(w io.Writer, text func(time.Duration) string) {
	begin := time.Now()
	proc.Every(every, l.end, func() bool {
		fmt.Fprint(w, "\r\033[K"+clip(text(time.Since(begin)), Width(w)))
		return true
	})
	fmt.Fprint(w, "\r\033[K")
}

// clip cuts a line that would continue in the next row of the terminal, because nothing would clear
// that row.
func clip(line string, width int) string {
	if all := []rune(line); width > 1 && len(all) >= width {
		return string(all[:width-2]) + "…"
	}
	return line
}

// Stop removes the line and returns when it will not be drawn again. It may be called more than
// once.
func (l *Line) Stop() {
	l.once.Do(func() { close(l.end) })
	l.done.Wait()
}

// Bar is a line for work with countable parts. The work may have stages: if more parts turn up,
// they form a stage with an estimate of its own.
type Bar struct {
	*Line
	begin time.Time
	to    io.Writer

	mu        sync.Mutex
	done, all int
	what      string
	from      int           // parts done before the stage
	since     time.Duration // start of the stage
	last      time.Duration // of the latest step
}

// StartBar shows a bar until Stop.
func StartBar(w io.Writer) *Bar {
	b := &Bar{begin: time.Now(), to: w}
	b.Line = Start(w, b.text)
	return b
}

// Step shows that done of all parts are done, and what names the last of them. If done is 0, what
// names the first part. Several goroutines may call it.
func (b *Bar) Step(done, all int, what string) { b.step(time.Since(b.begin), done, all, what) }

func (b *Bar) step(took time.Duration, done, all int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case done == 0:
		b.from, b.since = 0, took
	case all != b.all && b.done == b.all:
		b.from, b.since = done-1, b.last // the parts before say nothing about this stage
	}
	b.done, b.all, b.what, b.last = done, all, what, took
}

// text estimates the remaining time from the finished parts of this stage.
func (b *Bar) text(took time.Duration) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == 0 {
		return fmt.Sprintf("starting, %.0f s", took.Seconds())
	}
	width := 30
	if columns := Width(b.to); columns > 0 {
		width = min(width, max(columns-90, 6)) // the words need the rest
	}
	full := width * b.done / b.all
	left := fmt.Sprintf("%.0f s", took.Seconds())
	if b.known() {
		left = fmt.Sprintf("%v left", b.remaining(took))
	}
	return fmt.Sprintf("[%s%s] %d of %d, %s; %s", strings.Repeat("#", full),
		strings.Repeat(" ", width-full), b.done, b.all, left, b.what)
}

// enough is the number of finished parts of a stage from which the rest is estimated. Where parts
// are done at the same time, the first ones alone tell too long a time.
const enough = 20

// known reports whether enough parts are done for an estimate: a third of a small stage.
func (b *Bar) known() bool {
	return b.done > 0 && b.done-b.from >= min(enough, (b.all-b.from)/3)
}

// remaining returns the estimated remaining time. It assumes that each part takes as long as the
// earlier parts of this stage. If the present part takes longer, the estimate grows.
func (b *Bar) remaining(took time.Duration) time.Duration {
	if b.done == b.all {
		return 0
	}
	each := float64(took-b.since) / float64(max(b.done-b.from, 1))
	return max(time.Duration(each*float64(b.all-b.done)), took-b.last).Round(time.Second)
}

// often is the least time between two lines of Aloud.
const often = 10 * time.Second

// Aloud returns a function like Step, for long work. If w is not a terminal, it also writes a line
// to w now and then. Several goroutines may call it.
func (b *Bar) Aloud(w io.Writer) func(done, all int, what string) {
	return b.aloud(w, func() time.Duration { return time.Since(b.begin) })
}

func (b *Bar) aloud(w io.Writer, clock func() time.Duration) func(done, all int, what string) {
	var mu sync.Mutex
	var last time.Duration
	return func(done, all int, what string) {
		mu.Lock()
		defer mu.Unlock()
		took := clock()
		b.step(took, done, all, what)
		if !Terminal(w) && took-last >= often && done < all {
			last = took
			left := ""
			if b.known() {
				left = fmt.Sprintf(", %v left", b.remaining(took))
			}
			fmt.Fprintf(w, "lockbench: %d of %d runs%s\n", done, all, left)
		}
	}
}
