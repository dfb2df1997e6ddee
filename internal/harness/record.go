package harness

import (
	"github.com/lockbench/lockbench/internal/history"
)

// record is the record of a run while it is written. Its stamps count from the start of the run.
type record struct {
	environment Environment
	epoch       int64 // environment's clock at the start
	history     *history.Recorder
	trace       *history.Tracer
	watch       Watcher
	progress    *progress
}

// now returns the stamp of this moment.
func (r *record) now() int64 { return r.environment.Now() - r.epoch }

// add writes an event and shows it to the watcher of the run.
func (r *record) add(e history.Event) error {
	if err := r.history.Record(e); err != nil {
		return err
	}
	if r.watch != nil && r.watch.Add(e) {
		r.progress.violated = true
	}
	r.progress.add(e)
	return nil
}

// command writes a command of a client.
func (r *record) command(c history.Command) error {
	if c.Sent != 0 {
		c.Sent -= r.epoch
	}
	if c.Recv != 0 {
		c.Recv -= r.epoch
	}
	return r.trace.Record(c)
}
