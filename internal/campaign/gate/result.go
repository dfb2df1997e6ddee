package gate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/campaign/findings"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// Outcome is the result of an entry or a gate. The zero value means unknown.
type Outcome string

// The outcomes. Allowed replaces Unknown if the file permits it.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Unknown Outcome = "unknown"
	Allowed Outcome = "allowed"
	Refused Outcome = "refused" // the run is not possible as requested
	Broken  Outcome = "broke"
)

type exitOf struct {
	outcome Outcome
	exit    int
}

// exits lists the outcomes from the worst to the best with their exit codes (docs/commands.md, Exit
// codes).
var exits = []exitOf{{Failed, 1}, {Refused, 254}, {Broken, 255}, {Unknown, 2}, {Allowed, 0},
	{Passed, 0}}

// Change says how an entry failed.
type Change string

// The changes, the worst first: the lock violates a property that it must not, or one that the file
// accepts until a day that is over; it no longer violates an expected one, exchanges different
// messages, or took another course with the same violations.
const (
	Worse     Change = "worse"
	Expired   Change = "expired"
	Gone      Change = "gone"
	Said      Change = "said"
	Different Change = "different"
)

var changes = []Change{Worse, Expired, Gone, Said, Different, ""}

// Result is the result of a gate, stored in gate.json.
type Result struct {
	Format  int    `json:"format"`
	Gate    File   `json:"gate"`
	Version string `json:"version"` // of lockbench
	// versions of the servers and libraries, for each environment
	Versions map[string]map[string]string `json:"versions,omitempty"`
	// what each adapter drove: its library and files
	Locks   map[string]string `json:"locks,omitempty"`
	Machine string            `json:"machine,omitempty"`
	Shard   batch.Shard       `json:"shard,omitzero"`
	Only    []string          `json:"only,omitempty"`
	// it was interrupted, or shards are missing
	Partial bool             `json:"partial,omitempty"`
	Took    history.Duration `json:"took"`
	Result  Outcome          `json:"result"`
	Exit    int              `json:"exit"`
	Entries []EntryResult    `json:"entries"`
	// the violations, compared with the gate before
	Findings []findings.Finding `json:"findings,omitempty"`
	// the forms of the messages between the lock and Redis (docs/ci.md, A snapshot)
	Says Says `json:"says,omitzero"`
}

// EntryResult is the result of one entry.
type EntryResult struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Environment string      `json:"environment"`
	Expect      Expectation `json:"expect"`
	Result      Outcome     `json:"result"`
	Change      Change      `json:"change,omitempty"` // set if the entry failed
	// a short result: "valid", "violates S", "unknown"
	Found   string `json:"found"`
	Claim   string `json:"claim"`         // the attempts, and the conclusion
	Cut     string `json:"cut,omitempty"` // why some runs were not made
	Planned int    `json:"planned"`       // number of planned runs; 1 for a search
	Runs    []Run  `json:"runs"`
	Shown   *Shown `json:"shown,omitempty"`
	// expected violations that decide a run, unless work only outlasted a lease
	Accepted []string `json:"accepted,omitempty"`
	// of the forms of messages: those that are new or gone, perhaps by chance
	InDoubt int `json:"in_doubt,omitempty"`
}

// Shown refers to the run that shows an entry's result. Paths are relative to the gate's directory.
type Shown struct {
	Seed      uint64 `json:"seed"`
	Dir       string `json:"dir,omitempty"`
	Report    string `json:"report,omitempty"`    // HTML page
	Reproduce string `json:"reproduce,omitempty"` // the command that repeats the run
	// the command that repeats it with another build
	Then           string `json:"then,omitempty"`
	Counterexample string `json:"counterexample,omitempty"` // shrunk, for `lockbench replay`
	Explanation    string `json:"explanation,omitempty"`    // explains the violation
	// what to do about it, as run says it, in lines of at most LineOfToDo columns
	ToDo string `json:"to_do,omitempty"`
}

func (r *execution) results() map[string]*EntryResult {
	out := map[string]*EntryResult{}
	for name, c := range r.clocks {
		out[name] = &EntryResult{Planned: c.planned, Cut: c.cut}
	}
	for _, run := range r.runs {
		out[run.Entry].Runs = append(out[run.Entry].Runs, run)
	}
	return out
}

// result judges the entries that were run.
func (g *File) result(o Options, found map[string]*EntryResult, says Says) *Result {
	res := &Result{Format: batch.Format, Gate: *g, Shard: o.Shard, Only: o.Only, Says: says}
	for i := range g.Entries {
		e := &g.Entries[i]
		if f := found[e.Name]; f != nil {
			f.Name, f.Title, f.Environment, f.Expect = e.Name, e.Title(), e.Environment, e.Expect
			inRunOrder(f.Runs)
			e.judge(f, g.Allowed(e.Name))
			g.compared(e, f)
			e.expire(f, e.Count(f.Runs).Counted)
			f.accept(e.Count(f.Runs).Counted)
			g.advise(e, f)
			res.Entries = append(res.Entries, *f)
		}
	}
	if g.Written != nil && g.Written.Says.Of > 0 && says.Of > 0 {
		h := g.countHeard(found, len(o.Only) == 0 && o.Shard.Of <= 1)
		e := g.Written.Says.judge(says, h, g.Environment)
		g.Written.Says.point(&e, says, h, res.Entries)
		res.Entries = append(res.Entries, e)
	}
	return res
}

func inRunOrder(runs []Run) {
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Repeat, b.Repeat),
			cmp.Compare(batch.Truth(a.Again), batch.Truth(b.Again)))
	})
}

// conclude sets the result of the gate to the worst result of an entry.
func (r *Result) conclude() {
	r.Result, r.Exit = Passed, 0
	for _, x := range slices.Backward(exits) {
		if slices.ContainsFunc(r.Entries, func(e EntryResult) bool { return e.Result == x.outcome }) {
			r.Result, r.Exit = x.outcome, x.exit
		}
	}
	if r.Partial && r.Exit == 0 {
		r.Result, r.Exit = Unknown, checker.ExitUnknown
	}
	if r.Result == Allowed {
		r.Result = Passed
	}
}

// unmeasured reports whether an entry of a snapshot has no runs in the file.
func (f *Found) unmeasured() bool { return f != nil && f.Runs == 0 }

// compared makes a passed but unmeasured entry unknown, because there was nothing to compare it
// with. It does nothing while the file is being written.
func (g *File) compared(e *Entry, f *EntryResult) {
	if g.Written == nil || !e.Found.unmeasured() || f.Result != Passed {
		return
	}
	f.open("It was not measured when the file was written, so nothing can be compared. Now: %s. "+
		"Write the file anew.", f.Claim)
	if g.Allowed(e.Name) {
		f.Result = Allowed
	}
}

// advise adds the command that repeats a run with the original lock of a snapshot, and how to
// resolve a result that a busy machine left unknown.
func (g *File) advise(e *Entry, f *EntryResult) {
	if e.Found != nil && f.Shown != nil && f.Result != Passed {
		f.Shown.Then = e.command(f.Shown.Seed, g.measured())
	}
	there := g.Written != nil || !e.Found.unmeasured() // otherwise the file is still being written
	if f.Result == Unknown && there && slices.ContainsFunc(f.Runs, func(r Run) bool {
		return r.Disturbed || r.Stalled
	}) {
		f.Claim += fmt.Sprintf(" Run it with nothing else running: %s",
			advice.GateAlone.Fill(g.File, f.Name))
	}
}

// measured returns the lock that a snapshot was measured with, or "" if it is unknown.
func (g *File) measured() string {
	if g.Written == nil {
		return ""
	}
	return g.Written.Of
}

// InOrder returns the entries, the worst first.
func (r *Result) InOrder() []EntryResult {
	rank := func(e EntryResult) int {
		return slices.IndexFunc(exits, func(x exitOf) bool { return x.outcome == e.Result })
	}
	return slices.SortedStableFunc(slices.Values(r.Entries), func(a, b EntryResult) int {
		return cmp.Or(rank(a)-rank(b),
			slices.Index(changes, a.Change)-slices.Index(changes, b.Change))
	})
}

// Count returns how many entries have an outcome.
func (r *Result) Count(o Outcome) (n int) {
	for _, e := range r.Entries {
		n += batch.Truth(e.Result == o)
	}
	return n
}

// Write writes gate.json.
func (r *Result) Write(w io.Writer) error {
	return history.WriteDocument(w, r)
}

// ResultFile is the name of the result file in the directory of a gate.
const ResultFile = "gate.json"

// ReadDir reads the result in the directory of a gate.
func ReadDir(dir string) (*Result, error) {
	r, err := batch.ReadFile[Result](filepath.Join(dir, ResultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not the directory of a gate: %w", dir, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// refused reports whether the error is of a run that an environment cannot support by design, so
// that the user must change something. After other errors, such as that of a server that did not
// start in time, a run broke and is repeated.
func refused(err error) bool {
	return errors.As(err, new(runner.UsageError)) && errors.As(err, new(nemesis.ImpossibleError))
}
