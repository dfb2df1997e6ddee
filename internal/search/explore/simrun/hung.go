package simrun

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
)

// hangs reports whether a call of the lock never returned, and records it in r.Hung. Such a call is
// open at the end of the history, and its client was not killed. Its goroutine can no longer wake
// up.
func (r *Record) hangs(e sim.HangError) bool {
	open := map[int]*history.Event{}
	for i := range r.History.Events {
		switch x := &r.History.Events[i]; {
		case x.Type == history.Invoke:
			open[x.Process] = x
		case x.Type.Completes(), x.Type == history.Kill, x.Type == history.Exit:
			delete(open, x.Process)
		}
	}
	for p := range 1 << 10 {
		if x := open[p]; x != nil {
			r.Hung = fmt.Sprintf("the %s of client %d, called at %.3f s, never returned, although its "+
				"context has ended and its connections are closed:\n%s", x.F, p, float64(x.T)/1e9,
				strings.Join(e.Goroutines, "\n\n"))
			return true
		}
	}
	return false
}
