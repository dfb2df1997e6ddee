package study

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/records"
)

// MitigationReport holds the results of all mitigations. It is stored in mitigations.json.
type MitigationReport struct {
	Format      int               `json:"format"`
	Environment string            `json:"environment"`
	Versions    map[string]string `json:"versions,omitempty"`
	TTL         history.Duration  `json:"ttl"`
	// number of runs of each trial, both without and with
	Repeat int                     `json:"repeat"`
	Cells  []choose.MitigationCell `json:"cells"`
}

// Mitigate runs each trial without and with its mitigation. It executes one run at a time, because
// it also measures costs. Run stores its runs below the directory root. If there is an error, the
// report contains the results so far.
func Mitigate(ctx context.Context, o matrix.Options, root string, run batch.Runner,
	tell func(done, all int, what string)) (*MitigationReport, error) {
	out := &MitigationReport{Format: batch.Format, Environment: o.Environment,
		TTL:    history.Duration(o.TTL),
		Repeat: max(o.Repeat, 1)}
	if out.TTL == 0 {
		out.TTL = history.Duration(matrix.DefaultTTL)
	}
	t := measurement{options: o, run: run, root: root}
	all, done := 0, 0
	for _, m := range mitigations() {
		all += len(m.Scenarios)
	}
	for i, m := range mitigations() {
		var acquire [2]history.Duration
		for with := range acquire {
			a, err := t.cost(ctx, i, m, with == 1)
			if err != nil {
				return out, err
			}
			acquire[with] = a
		}
		for j, c := range m.Scenarios {
			one := choose.MitigationCell{Mitigation: m.Name, Row: c.Row, Nemesis: c.Nemesis, Line: c.Line}
			for with, to := range []*choose.Trials{&one.Without, &one.With} {
				got, err := t.tries(ctx, m, c, with == 1, fmt.Sprintf("%d-%d-%d", i, j, with))
				if err != nil {
					return out, err
				}
				*to = got
				to.Acquire = acquire[with]
			}
			out.Cells = append(out.Cells, one)
			done++
			if tell != nil {
				tell(done, all, m.Name+": "+c.Row+" under "+c.Nemesis)
			}
		}
	}
	return out, nil
}

// measurement executes runs of mitigations.
type measurement struct {
	options matrix.Options
	run     batch.Runner
	root    string
}

// sample reads the cost of a run from its directory.
func (t measurement) sample(name string) (batch.Sample, error) {
	r, err := store.Load(filepath.Join(t.root, name))
	if err != nil {
		return batch.Sample{}, err
	}
	return batch.Measure(r.History, r.Trace), nil
}

// Save writes mitigations.json to a directory.
func (m *MitigationReport) Save(dir string) error {
	return records.Write(dir, MitigationsFile, m.Write)
}

func (t measurement) cost(ctx context.Context, i int, m mitigation, with bool) (history.Duration,
	error) {
	p, err := mitigationCost(t.options, m, with)
	if err != nil {
		return 0, err
	}
	s, err := t.measured(ctx, p, fmt.Sprintf("cost-%d-%v", i, with))
	return batch.Join(s).AcquireP50, err
}

func (t measurement) measured(ctx context.Context, p harness.Plan, name string) (batch.Sample,
	error) {
	dir := "mitigations/" + name
	if _, err := t.run(ctx, p, dir); err != nil {
		return batch.Sample{}, fmt.Errorf("%s: %w", name, err)
	}
	return t.sample(dir)
}

// tries executes the runs of one trial. It repeats a few runs if the machine was too slow.
func (t measurement) tries(ctx context.Context, m mitigation, c scenario, with bool,
	name string) (choose.Trials,
	error) {
	out := choose.Trials{Violated: map[string]int{}}
	var samples []batch.Sample
	const extra = 3
	for i, left := 0, extra; out.Runs < max(t.options.Repeat, 1); i++ {
		p, err := mitigationPlan(t.options, m, c, with, t.options.Seed+uint64(i))
		if err != nil {
			return out, err
		}
		dir := fmt.Sprintf("mitigations/%s-%d", name, i)
		v, err := t.run(ctx, p, dir)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if f := batch.NewFinding(v, err); (f.Stalled || f.HarnessError != "" || batch.Disturbed(p, v)) &&
			left > 0 {
			left--
			continue
		}
		countRun(&out, v, p.Requires.Failover, err)
		if s, err := t.sample(dir); err == nil {
			samples = append(samples, s)
		}
	}
	out.Recovery = batch.Join(samples...).Recovery
	return out, nil
}

// countRun adds a run to the trials.
func countRun(t *choose.Trials, v *checker.Verdict, failover bool, err error) {
	t.Runs++
	if v == nil {
		t.Unknown++
		t.Reason = fmt.Sprint(err)
		return
	}
	var found []string
	for _, l := range batch.Properties {
		if v.Property(l).Verdict == checker.Violated {
			found = append(found, l)
		}
	}
	stuck := failover && v.Evidence.AfterFailover == 0 && v.HarnessError == ""
	if stuck && slices.Equal(found, []string{checker.Deadlock}) {
		found = nil // trials count it as stuck
	}
	for _, l := range found {
		t.Violated[l]++
	}
	s := v.Property(checker.MutualExclusion)
	switch {
	case len(found) > 0 || s.Verdict == checker.Valid:
	case stuck:
		t.Stuck++
	default:
		t.Unknown++
		t.Reason = cmp.Or(s.Reason, t.Reason)
	}
}

// Write writes mitigations.json.
func (m *MitigationReport) Write(w io.Writer) error {
	return history.WriteDocument(w, m)
}

// ReadMitigations reads the output of Write.
func ReadMitigations(r io.Reader) (*MitigationReport, error) {
	return batch.ReadDocument[MitigationReport](r, "mitigations.json")
}

// spell formats a time for a table.
func spell(d history.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d.D() < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d.D() < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", float64(d)/1e9)
}

// formatTrials formats trials. For a crash it adds how long no client was granted the lock.
func formatTrials(t choose.Trials, m choose.MitigationCell) string {
	s := oneLine(t.String())
	if m.Nemesis == "crash" {
		s += fmt.Sprintf("; granted again after %s", spell(t.Recovery))
	}
	return s
}

// Text writes the report for a terminal.
func (m *MitigationReport) Text(w io.Writer) error {
	t := progress.NewTable(w)
	for _, one := range mitigations() {
		fmt.Fprintf(t, "%s\twithout\twith\n", one.Name)
		for _, x := range m.cellsOf(one.Name) {
			fmt.Fprintf(t, "  %s, %s: %s\t%s\t%s\n", x.Row, x.Nemesis, x.Line, formatTrials(x.Without, x),
				formatTrials(x.With, x))
		}
		if xs := m.cellsOf(one.Name); len(xs) > 0 {
			fmt.Fprintf(t, "  acquire\t%s\t%s\n", spell(xs[0].Without.Acquire), spell(xs[0].With.Acquire))
		}
	}
	return t.Flush()
}

func (m *MitigationReport) cellsOf(mitigation string) (out []choose.MitigationCell) {
	for _, t := range m.Cells {
		if t.Mitigation == mitigation {
			out = append(out, t)
		}
	}
	return out
}

func redisOf(versions map[string]string) string {
	if v := versions["redis"]; v != "" {
		return "Redis " + v
	}
	return "Redis"
}
