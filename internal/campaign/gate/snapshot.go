package gate

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/workloads"
)

// Format is the version of gate files. A file of another one is refused.
const Format = 2

// Written describes the origin of a snapshot: its lock and the versions.
type Written struct {
	By   string            `yaml:"by" json:"by"`           // the version of lockbench
	Of   string            `yaml:"of" json:"of,omitempty"` // the lock: an impl or an adapter
	With map[string]string `yaml:"with" json:"with,omitempty"`
	Lock string            `yaml:"lock" json:"lock,omitempty"` // of an adapter: its library and files
	Says Says              `yaml:"says" json:"says"`
}

// Snapshot creates a gate file with every cell that the matrix has for a lock.
type Snapshot struct {
	Impl, Adapter string   // exactly one is set
	Faults        []string // columns of the matrix; if empty, all
	// if empty, the simulator for a lock of lockbench and real Redis otherwise
	Environment string
	Seed        uint64        // 0 means 1
	Runs        int           // runs of each cell; 0 means 10 in the simulator and 5 elsewhere
	Lease       time.Duration // if zero, the lease of the matrix
	// a file that exists is written over, and the entries that still violate something keep their
	// tickets and days
	Replace bool

	file  string
	old   []Entry // of the file that is replaced
	lock  string
	cells []Entry  // with a name and options
	notes []string // the reasons why cells are missing
}

// The defaults of a snapshot. A simulated run takes milliseconds, and a real one seconds. The
// messages of a lock are counted over the runs of all its cells together.
const (
	runsInSim = 10 // of each cell
	runsReal  = 5  // of each cell
	maxExtra  = 40 // the largest number of runs that look for a missing violation
	// some libraries count in whole seconds
	adapterLease = 2 * time.Second
)

// Prepare determines the cells. It returns an error if the file exists and is not to be replaced.
func (s *Snapshot) Prepare(ctx context.Context, file string) (*File, error) {
	s.file = file
	if err := errors.Join(s.keep(), s.choose(ctx)); err != nil {
		return nil, err
	}
	o := matrix.Options{Columns: s.Faults, TTL: s.Lease, Environment: s.Environment}
	if s.Impl != "" {
		o.Rows = []string{s.Impl}
	} else {
		o.Adapters = []string{s.Adapter}
		o.TTL = cmp.Or(o.TTL, adapterLease)
		a, err := adapters.Find(strings.Split(s.Adapter, " ")[0])
		if err == nil {
			err = a.Missing()
		}
		if err != nil {
			return nil, err
		}
		s.lock = a.Drives()
	}
	if s.Environment != runner.Sim {
		c, err := runner.Choose(ctx, s.Environment, harness.Place{})
		if err != nil {
			return nil, err
		}
		o.Unsupported = runner.Capabilities(ctx, c, true).Unsupported()
		err = o.Lacking(func(w harness.RunOptions) error { return runner.Try(ctx, w) })
		if err != nil {
			return nil, err
		}
	}
	if err := s.find(o); err != nil {
		return nil, err
	}
	return Read(file, []byte(s.text(nil)))
}

// keep reads the file that is replaced. It returns an error if a file is there and is not to be
// replaced, or if there is none.
func (s *Snapshot) keep() error {
	if s.Replace {
		g, err := ReadFile(s.file)
		if err == nil {
			s.old = g.Entries
		}
		return err
	}
	if _, err := os.Stat(s.file); err == nil {
		return fmt.Errorf("%w; or add --replace, which keeps its tickets and days",
			thereAlready(s.file))
	}
	return nil
}

// accept gives a cell that violates something the ticket and the day of its entry in the old file.
func (s *Snapshot) accept(c *Entry) {
	i := slices.IndexFunc(s.old, func(e Entry) bool { return e.Name == c.Name })
	if i >= 0 && len(c.Found.Must)+len(c.Found.May) > 0 {
		c.Ticket, c.Until = s.old[i].Ticket, s.old[i].Until
	}
}

// choose sets the environment, the seed and the number of runs.
func (s *Snapshot) choose(ctx context.Context) error {
	s.Seed = cmp.Or(s.Seed, 1)
	switch {
	case s.Environment == "" && s.Impl != "":
		s.Environment = runner.Sim
	case s.Environment == "" || s.Environment == runner.Auto:
		c, err := runner.Choose(ctx, runner.Auto, harness.Place{})
		if err != nil {
			return err
		}
		s.Environment = c.Environment
	}
	if s.Environment == runner.Sim && s.Adapter != "" {
		return errors.New("an adapter needs a real Redis: install redis-server, or use --env docker")
	}
	if s.Runs == 0 {
		s.Runs = runsReal
		if s.Environment == runner.Sim {
			s.Runs = runsInSim
		}
	}
	return nil
}

// find creates a cell for each scenario that the matrix has for the lock.
func (s *Snapshot) find(o matrix.Options) error {
	tasks, err := o.Tasks()
	if err != nil {
		return err
	}
	m, err := matrix.New(o, nil)
	if err != nil {
		return err
	}
	for _, c := range m.Cells {
		if c.Impossible != "" {
			s.notes = append(s.notes, fmt.Sprintf("%s under %s: %s", c.Row, c.Column, c.Impossible))
		}
	}
	for _, t := range tasks {
		err := s.add(fmt.Sprintf("%s under %s", t.Row.Name, t.Aim.Nemesis), t.Column,
			o.RunOptions(t.Row, t.Aim, 0))
		if err != nil {
			return err
		}
	}
	if len(s.Faults) == 0 {
		for _, r := range m.Rows {
			if err := s.addOthers(o, r, m.Rows); err != nil {
				return err
			}
		}
	}
	if len(s.cells) == 0 {
		why := ""
		for _, name := range slices.Sorted(maps.Keys(o.Missing)) {
			why = ": " + o.Missing[name]
		}
		if len(s.notes) > 0 {
			why = ": " + s.notes[0]
		}
		return fmt.Errorf("nothing can be measured in the environment %s%s", s.Environment, why)
	}
	return nil
}

// add adds a cell unless its name exists.
func (s *Snapshot) add(name, column string, w harness.RunOptions) (err error) {
	if strings.HasPrefix(s.Adapter, ".") {
		if w.Adapter, err = s.fromFile(w.Adapter); err != nil {
			return err
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(s.cells, func(e Entry) bool { return e.Name == name })
	}
	if has(name) {
		name += " in " + column
	}
	if !has(name) {
		s.cells = append(s.cells, Entry{Name: name, Options: optionsOf(w)})
	}
	return nil
}

// addOthers adds what the matrix has no cells for: the other workloads and variants of a lock, and
// how it renews its lease.
func (s *Snapshot) addOthers(o matrix.Options, r matrix.Row, rows []matrix.Row) error {
	lock, err := r.Lock()
	if err != nil {
		return err
	}
	try := func(what string, change func(w *harness.RunOptions)) error {
		w := o.RunOptions(r, matrix.Aim{Nemesis: "none"}, 0)
		change(&w)
		p, err := harness.NewPlan(w)
		if err != nil || w.Workload != r.Workload && p.Workload == r.Workload {
			return nil // the lock cannot do it with its topology
		}
		return s.add(r.Name+" "+what, "none", w)
	}
	for _, l := range workloads.All() {
		if l.Name == cmp.Or(r.Workload, workloads.Mutex) || workloads.Suits(lock, l.Name, l.Keys) != nil {
			continue
		}
		err = errors.Join(err, try("with "+l.Name, func(w *harness.RunOptions) { w.Workload = l.Name }))
	}
	usual, err := harness.NewPlan(o.RunOptions(r, matrix.Aim{Nemesis: "none"}, 0))
	for _, v := range lock.Variants {
		// a variant that has its own row also has its own cells
		if s.Adapter == "" && r.Variant == "" && v != usual.Variant && !slices.ContainsFunc(rows,
			func(x matrix.Row) bool { return x.Variant == v }) {
			err = errors.Join(err, try("as "+v, func(w *harness.RunOptions) { w.Variant = v }))
		}
	}
	if s.Adapter == "" {
		err = errors.Join(err, renewals(lock, r, rows, try))
	}
	return err
}

// renewals adds cells for a lock that renews its lease: one without renewal, unless another row
// covers that, and one with only two renewals under holds that need more.
func renewals(lock impls.Entry, r matrix.Row, rows []matrix.Row,
	try func(what string, change func(w *harness.RunOptions)) error) (err error) {
	if lock.Watchdog && !slices.ContainsFunc(rows, func(x matrix.Row) bool { return x.NoWatchdog }) {
		err = try("without watchdog", func(w *harness.RunOptions) { w.NoWatchdog = true })
	}
	if lock.Watchdog && !r.NoWatchdog || lock.Extends {
		err = errors.Join(err, try("with two renewals", func(w *harness.RunOptions) {
			w.MaxRenewals, w.Workload = 2, workloads.LongWork
		}))
	}
	return err
}

// fromFile returns a directory relative to the gate file.
func (s *Snapshot) fromFile(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	base, err2 := filepath.Abs(filepath.Dir(s.file))
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(base, abs)
	if !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return filepath.ToSlash(rel), err
}

// optionsOf returns the settings of a run that differ from the defaults, as a gate file names them.
func optionsOf(w harness.RunOptions) (out []Option) {
	add := func(name string, value any, is bool) {
		if is {
			out = append(out, Option{name, []string{fmt.Sprint(value)}})
		}
	}
	add("impl", w.Impl, w.Impl != "")
	add("adapter", w.Adapter, w.Adapter != "")
	add("variant", w.Variant, w.Variant != "")
	add("watchdog", false, w.NoWatchdog)
	add("masters", w.Masters, w.Masters > 0)
	add("workload", w.Workload, w.Workload != "")
	add("nemesis", w.Nemesis, true)
	add("clients", w.Clients, w.Clients > 0)
	add("ttl", w.TTL, w.TTL > 0)
	add("acquire_timeout", w.AcquireTimeout, w.AcquireTimeout > 0)
	for _, o := range append(w.ClientSettings.Table(), w.Settings.Table()...) {
		add(strings.ReplaceAll(o.Name, "-", "_"), o.Text(), o.IsSet())
	}
	add("for", w.For, w.For > 0)
	add("thorough", w.Thorough, w.Thorough)
	return out
}

// Missing describes which cells a run of the file did not measure and what to do. It returns "" if
// there are none. It ignores cells that are impossible by design, which the file mentions in a
// comment.
func (s *Snapshot) Missing(r *Result) string {
	missing := slices.DeleteFunc(slices.Clone(r.Entries), func(e EntryResult) bool {
		return e.Result == Passed || e.Result == Refused
	})
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("%s is not written, since %d of %s could not be measured, first %q: %s. Do it "+
		"again with less load: %s --jobs 1", s.file, len(missing),
		units.Count(len(r.Entries), "cell"), missing[0].Name,
		strings.TrimSuffix(batch.Plain(missing[0].Claim), "."), s.command())
}

// Warnings names the cells that were measured in too few judged runs, a line for each.
func (s *Snapshot) Warnings(r *Result) (lines []string) {
	for i := range r.Entries {
		e := &r.Entries[i]
		if i >= len(r.Gate.Entries) || e.Result != Passed {
			continue
		}
		if few := e.warnOfFew(r.Gate.Entries[i].Count(e.Runs).Counted); few != "" {
			lines = append(lines, e.Name+": "+few)
		}
	}
	return lines
}

// Write writes the file with the results of its run. Call it only if no cells are Missing, because
// a gate would never check those.
func (s *Snapshot) Write(r *Result) error {
	if !s.Replace {
		return writeNew(s.file, []byte(s.text(r)))
	}
	return store.Write(filepath.Dir(s.file), filepath.Base(s.file), func(w *os.File) error {
		_, err := w.WriteString(s.text(r))
		return err
	})
}

// command returns the command line that writes the file.
func (s *Snapshot) command() string {
	line := advice.GateInit.String()
	for _, x := range []struct{ flag, value string }{{"impl", s.Impl}, {"adapter", s.Adapter},
		{"env", s.Environment}, {"nemesis", strings.Join(s.Faults, ",")}} {
		if x.value != "" {
			line += " --" + x.flag + " " + units.Quoted(x.value)
		}
	}
	line += fmt.Sprintf(" --repeat %d --seed %d", s.Runs, s.Seed)
	if s.Lease > 0 {
		line += fmt.Sprintf(" --ttl %v", s.Lease)
	}
	return line + " " + units.Quoted(s.file)
}

//go:embed snapshot.yaml.tmpl
var snapshotYAML string

var snapshotTemplate = template.Must(template.New("snapshot").Funcs(template.FuncMap{
	"quote": quote, "option": Option.yaml, "counts": counts, "join": strings.Join,
}).Parse(snapshotYAML))

// cell is an entry of the file, or the reason why the run is not possible as requested.
type cell struct {
	Entry
	Refused string
}

// text returns the file. If r is nil, the entries are marked as not measured.
func (s *Snapshot) text(r *Result) string {
	var out strings.Builder
	x := struct {
		*Snapshot
		Command, Gate, Key string
		Format             int
		Common             []Option
		Variants           bool
		Cells              []cell
		Impossible         []string
		Written            *Written
	}{Snapshot: s, Command: s.command(), Gate: advice.Verb("gate"), Key: "impl", Format: Format,
		Common: s.common(), Cells: s.measured(r), Variants: slices.ContainsFunc(s.cells,
			func(e Entry) bool { return e.Option("variant") != "" })}
	if s.Adapter != "" {
		x.Key = "adapter"
	}
	for _, n := range s.notes {
		x.Impossible = append(x.Impossible, batch.Plain(n))
	}
	if r != nil {
		x.Written = &Written{By: r.Version, Of: r.Gate.Entries[0].lock(), With: Flat(r.Versions),
			Lock: s.lock, Says: r.Says.general()}
	}
	_ = snapshotTemplate.Execute(&out, x) // a Builder never fails
	return out.String()
}

// measured returns the cells with what their runs show, and with the options that not all share.
func (s *Snapshot) measured(r *Result) (cells []cell) {
	for i, e := range s.cells {
		c := cell{Entry: e}
		c.Found = &Found{}
		c.Options = slices.DeleteFunc(slices.Clone(e.Options), func(o Option) bool {
			return slices.ContainsFunc(s.common(), func(x Option) bool { return x.Name == o.Name })
		})
		if r != nil {
			got := r.Entries[i]
			c.Found = newFound(r.Gate.Entries[i].Count(got.Runs).Counted)
			s.accept(&c.Entry)
			if got.Result == Refused {
				c.Refused = batch.Plain(got.Claim)
			}
		}
		cells = append(cells, c)
	}
	return cells
}

func (s *Snapshot) common() (out []Option) {
	for _, o := range s.cells[0].Options {
		if !slices.ContainsFunc(s.cells, func(c Entry) bool {
			return !slices.ContainsFunc(c.Options, func(x Option) bool {
				return x.Name == o.Name && slices.Equal(x.Values, o.Values)
			})
		}) {
			out = append(out, o)
		}
	}
	return out
}

// yaml formats an option as a line of the file.
func (o Option) yaml() string { return o.Name + ": " + quote(strings.Join(o.Values, ",")) }

// counts formats the counts of properties as a flow mapping.
func counts(of map[string]int) string {
	var parts []string
	for _, l := range slices.SortedFunc(maps.Keys(of), batch.ByProperty) {
		parts = append(parts, fmt.Sprintf("%s: %d", l, of[l]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func thereAlready(name string) error {
	return fmt.Errorf(
		"%s exists and is not overwritten; name another file: %s FILE", name, advice.GateInit)
}

// writeNew writes a file that must not exist.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return thereAlready(name)
	} else if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
