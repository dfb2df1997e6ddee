package harness

import (
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
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

func (r *record) command(c history.Command) error {
	if c.Sent != 0 {
		c.Sent -= r.epoch
	}
	if c.Recv != 0 {
		c.Recv -= r.epoch
	}
	return r.trace.Record(c)
}

// Journal is a run that its caller drives, step by step. It has no scenario and requires no
// evidence, but keeps the same record as Run. Its methods are for one goroutine.
type Journal struct{ run *run }

// NewJournal starts the record.
func NewJournal(p Plan, w Environment, out Output) (*Journal, error) {
	r, err := newRun(p, w, out)
	return &Journal{r}, err
}

// Begin gives client i its next cycle.
func (j *Journal) Begin(i int) {
	c := j.run.clients.all[i]
	if c.idle() {
		c.working = true
		j.run.environment.Send(i, c.next)
	}
}

// Take records a report of a client and answers its question, if any. It ignores breakpoints.
func (j *Journal) Take(rep workloads.Report) error {
	if rep.Breakpoint != nil {
		return nil
	}
	return j.run.handle(rep)
}

// Do carries out and records a step that changes the environment or undoes such a change.
func (j *Journal) Do(s nemesis.Step) error {
	if s.Repairs() {
		return j.run.nemesis.effects.repair(s)
	}
	return j.run.nemesis.effects.fault(s)
}

// Note records a step as Do does, for a caller that has carried it out by other means.
func (j *Journal) Note(s nemesis.Step) error {
	if s.Repairs() {
		return j.run.nemesis.effects.undone(s)
	}
	return j.run.nemesis.effects.recordAround(s, func(nemesis.Step) error { return nil })
}

// End writes the end of the record. Err says why the run is worth less than planned. End returns it
// together with other errors.
func (j *Journal) End(err error) error { return j.run.end(err, nil) }
