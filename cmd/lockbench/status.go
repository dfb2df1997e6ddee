package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// statusLine tells on a terminal that the run goes on, once it has taken two seconds. Elsewhere it
// is silent.
type statusLine struct {
	acquisitions atomic.Int64
	end          chan struct{}
	once         sync.Once
	done         sync.WaitGroup
}

const (
	statusAfter = 2 * time.Second
	statusEvery = 200 * time.Millisecond
)

func newStatusLine(w io.Writer) *statusLine {
	s := &statusLine{end: make(chan struct{})}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.done.Go(func() { s.show(f) })
	}
	return s
}

func (s *statusLine) show(w io.Writer) {
	start := time.Now()
	t := time.NewTicker(statusEvery)
	defer t.Stop()
	for {
		select {
		case <-s.end:
			fmt.Fprint(w, "\r\033[K")
			return
		case <-t.C:
		}
		if d := time.Since(start); d >= statusAfter {
			fmt.Fprintf(w, "\r\033[Krunning, %.0f s, %d acquisitions", d.Seconds(), s.acquisitions.Load())
		}
	}
}

// stop clears the line. It may be called more than once.
func (s *statusLine) stop() {
	s.once.Do(func() { close(s.end) })
	s.done.Wait()
}
