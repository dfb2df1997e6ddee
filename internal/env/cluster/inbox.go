package cluster

import (
	"context"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// inbox passes reports of clients and of the environment on to the harness's loop, until the
// environment ends. Any goroutine may report.
type inbox struct {
	reports chan workloads.Report
	ended   chan struct{}
}

// inboxSize is room for the reports of all workers while the loop is busy with a fault.
const inboxSize = 1 << 16

func newInbox() *inbox {
	return &inbox{reports: make(chan workloads.Report, inboxSize), ended: make(chan struct{})}
}

// Next returns the next report. It returns false when the clock has passed deadline or ctx has
// ended.
func (i *inbox) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	select {
	case r := <-i.reports:
		return r, true
	default:
	}
	t := time.NewTimer(time.Duration(deadline - proc.Monotonic()))
	defer t.Stop()
	select {
	case r := <-i.reports:
		return r, true
	case <-t.C:
	case <-ctx.Done():
	}
	return workloads.Report{}, false
}

// Wake makes Next return an empty report, for a caller that waits there for something that no
// client reports. It may be called from any goroutine.
func (i *inbox) Wake() { i.report(workloads.Report{Process: history.Harness}) }

// report passes on a report that no client sent, unless the environment is closing.
func (i *inbox) report(r workloads.Report) {
	select {
	case i.reports <- r:
	case <-i.ended:
	}
}

// stalled reports that this process did not run for d until t.
func (i *inbox) stalled(t int64, d time.Duration) { i.gap("", t, d, "") }

// gap reports that a node, or this process, did not run for d until t, and the reason if known.
func (i *inbox) gap(node string, t int64, d time.Duration, why history.Refusal) {
	i.report(workloads.Report{Process: history.Harness, Event: &history.Event{Type: history.Gap, T: t,
		Process: history.Harness, Target: node, Gap: history.Duration(d), Why: why}})
}

// broke reports that a node does not do its work, although no fault made it so.
func (i *inbox) broke(node, why string) {
	i.report(workloads.Report{Process: history.Harness, Exit: &workloads.Exit{T: proc.Monotonic(),
		Node: node, Err: why}})
}

// end ends the environment. It returns false if that was done before.
func (i *inbox) end() bool {
	select {
	case <-i.ended:
		return false
	default:
		close(i.ended)
		return true
	}
}

// drain drops reports, so that workers can finish their output, until closed is closed.
func (i *inbox) drain(closed <-chan struct{}) {
	for {
		select {
		case <-i.reports:
		case <-closed:
			return
		}
	}
}
