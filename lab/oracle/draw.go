package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Line names a run. The same line always gives the same run.
type Line struct {
	Row      string // row of the matrix
	Workload string
	Fault    string
	Seed     uint64
}

// String returns the text that ParseLine parses.
func (l Line) String() string {
	return strings.Join([]string{l.Row, l.Workload, l.Fault, strconv.FormatUint(l.Seed, 10)}, "/")
}

// ParseLine parses a line.
func ParseLine(s string) (l Line, err error) {
	parts := strings.Split(s, "/")
	if len(parts) != 4 {
		return l, fmt.Errorf("%q is not LOCK/WORKLOAD/FAULT/SEED", s)
	}
	l = Line{Row: parts[0], Workload: parts[1], Fault: parts[2]}
	l.Seed, err = strconv.ParseUint(parts[3], 10, 64)
	return l, err
}

// Draw returns a line for a seed. If lock is not empty, it uses only locks with this name. It omits
// the controls, which hold nothing on a server.
func Draw(seed uint64, lock string) Line {
	r := rand.New(rand.NewPCG(seed, 0x0a1e))
	rows := slices.DeleteFunc(matrix.Rows(), func(r matrix.Row) bool {
		about, err := impls.Find(r.Impl)
		return lock != "" && r.Impl != lock || err == nil && about.Control()
	})
	row := rows[r.IntN(len(rows))]
	ws := suitable(row)
	faults := nemesis.All()
	return Line{row.Name, ws[r.IntN(len(ws))], faults[r.IntN(len(faults))].Name, r.Uint64N(1e6)}
}

// suitable returns the workloads that a row supports. Its own workload occurs three times.
func suitable(row matrix.Row) []string {
	own := row.Workload
	if own == "" {
		own = workloads.Mutex
	}
	names := []string{own, own, own}
	lock, err := impls.Find(row.Impl)
	if err != nil {
		return names
	}
	for _, w := range workloads.All() {
		if w.Name != own && workloads.Suits(lock, w.Name, w.Keys) == nil {
			names = append(names, w.Name)
		}
	}
	return names
}

// Outcome is a run with the differences between its verdict and its servers.
type Outcome struct {
	Plan        string
	Verdict     *checker.Verdict
	Differences []Difference
	Missed      []Difference // violations on the servers that the verdict lacks
	Truth       *Truth
}

// Run executes a line. It returns an error if the run is impossible or fails.
func Run(ctx context.Context, l Line) (*Outcome, error) {
	job, schedule, err := jobOf(l)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{}
	rec.Attach(&job)
	run, err := job.Run(ctx)
	if err != nil {
		return nil, err
	}
	if run.HarnessError != nil {
		return nil, run.HarnessError
	}
	run.History.Events = append(run.History.Events, history.Event{Type: history.End,
		Process: history.Harness, T: end(&run.History)})
	v := checker.Check(&run.History, run.Trace, checker.Options{Properties: history.Properties()})
	t := rec.Truth(run)
	t.Late = schedule != explore.Random
	differences := append(t.Compare(v), undeclared(v, run)...)
	return &Outcome{job.Plan.Nemesis + ", " + schedule, v, differences, t.Missed(v), t}, nil
}

// undeclared judges D without the declared pause between tries. A pause that was only seen may
// leave D unknown, but it convicts no lock that the declared one does not convict.
func undeclared(v *checker.Verdict, run *simrun.Record) []Difference {
	if v.Property(verdict.Deadlock).Verdict == verdict.Violated {
		return nil
	}
	h := run.History
	h.Header.Poll, h.Header.Declares.Pause = 0, 0
	options := checker.Options{Properties: []string{verdict.Deadlock}}
	d := checker.Check(&h, run.Trace, options).Property(verdict.Deadlock)
	if d.Verdict != verdict.Violated {
		return nil
	}
	return []Difference{{verdict.Deadlock, "undeclared pause", d.Explanation}}
}

// draws caches the functions that draw runs of a lock, a workload and a fault.
var draws sync.Map // from Line without a seed to drawing

type drawing struct {
	job func(uint64) (simrun.Job, string)
	err error
}

// jobOf returns the run of a line and the schedule that it follows.
func jobOf(l Line) (simrun.Job, string, error) {
	key := l
	key.Seed = 0
	known, ok := draws.Load(key)
	if !ok {
		job, err := draw(l)
		known, _ = draws.LoadOrStore(key, drawing{job, err})
	}
	d := known.(drawing)
	if d.err != nil {
		return simrun.Job{}, "", d.err
	}
	job, schedule := d.job(l.Seed)
	return job, schedule, nil
}

func draw(l Line) (func(uint64) (simrun.Job, string), error) {
	rows, _, err := matrix.RowsAndColumns([]string{l.Row}, nil)
	if err != nil {
		return nil, err
	}
	o := rows[0].Options(l.Fault)
	o.Workload = l.Workload
	return explore.Search{Options: o, Properties: history.Properties(), Schedule: explore.Portfolio,
		Moments: explore.Both}.Draw()
}

// end returns the last time stamp of a history.
func end(h *history.History) (t int64) {
	for i := range h.Events {
		t = max(t, h.Events[i].T)
	}
	return t
}
