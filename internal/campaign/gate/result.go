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
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Outcome is what became of an entry, or of a gate. The zero value is unknown.
type Outcome string

// The outcomes. Allowed is unknown where the file says that it may be.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Unknown Outcome = "unknown"
	Allowed Outcome = "allowed"
	Refused Outcome = "refused" // it was not possible as it was asked for
	Broken  Outcome = "broke"
)

type exitOf struct {
	outcome Outcome
	exit    int
}

// exits are the outcomes from the worst to the best with their exit codes (docs/commands.md, Exit
// codes).
var exits = []exitOf{{Failed, 1}, {Refused, 254}, {Broken, 255}, {Unknown, 2}, {Allowed, 0},
	{Passed, 0}}

// Change is how an entry failed, the worst first: the lock does what it must not, or no more what
// was expected, or it says something else, or a run with the same letters took another course.
type Change string

// The changes.
const (
	Worse     Change = "worse"
	Gone      Change = "gone"
	Said      Change = "said"
	Different Change = "different"
)

var changes = []Change{Worse, Gone, Said, Different, ""}

// Result is what a gate found: the document gate.json.
type Result struct {
	Format  int    `json:"format"`
	Gate    File   `json:"gate"`
	Version string `json:"version"` // of lockbench
	// of what answered, for each environment
	Versions map[string]map[string]string `json:"versions,omitempty"`
	Machine  string                       `json:"machine,omitempty"`
	Shard    batch.Shard                  `json:"shard,omitzero"`
	Only     []string                     `json:"only,omitempty"`
	// it was interrupted, or shards are missing
	Partial bool             `json:"partial,omitempty"`
	Took    history.Duration `json:"took"`
	Result  Outcome          `json:"result"`
	Exit    int              `json:"exit"`
	Entries []EntryResult    `json:"entries"`
	// what the lock and Redis said to each other, by its form (docs/ci.md, A snapshot)
	Says Says `json:"says,omitzero"`
}

// EntryResult is what was found of one entry.
type EntryResult struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Environment string      `json:"environment"`
	Expect      Expectation `json:"expect"`
	Result      Outcome     `json:"result"`
	Change      Change      `json:"change,omitempty"` // of one that failed
	// in a word or two: "valid", "violates S", "unknown"
	Found   string `json:"found"`
	Claim   string `json:"claim"`         // what was tried, and what follows
	Cut     string `json:"cut,omitempty"` // why not all of it was tried
	Planned int    `json:"planned"`       // runs that were to be done here; of a search: 1
	Runs    []Run  `json:"runs"`
	Shown   *Shown `json:"shown,omitempty"`
	// letters that decide and that the file expects, unless work only outlasted a lease
	Accepted []string `json:"accepted,omitempty"`
}

// Shown leads to the run that shows an entry's result. Paths are relative to the gate's directory.
type Shown struct {
	Seed           uint64 `json:"seed"`
	Dir            string `json:"dir,omitempty"`
	Report         string `json:"report,omitempty"`         // the page for people
	Reproduce      string `json:"reproduce,omitempty"`      // the command that does it again
	Then           string `json:"then,omitempty"`           // that does it with another build
	Counterexample string `json:"counterexample,omitempty"` // shrunk, for `lockbench replay`
	Explanation    string `json:"explanation,omitempty"`    // the violation, told
}

// results are the runs by entry, with what is known of each.
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

// result judges the entries that have something to judge.
func (g *File) result(o Options, found map[string]*EntryResult, says Says) *Result {
	res := &Result{Format: batch.Format, Gate: *g, Shard: o.Shard, Only: o.Only, Says: says}
	for i := range g.Entries {
		e := &g.Entries[i]
		if f := found[e.Name]; f != nil {
			f.Name, f.Title, f.Environment, f.Expect = e.Name, e.Title(), e.Environment, e.Expect
			inRunOrder(f.Runs)
			e.judge(f, g.Allowed(e.Name))
			g.compared(e, f)
			f.accept(e.Count(f.Runs).Counted)
			g.advise(e, f)
			res.Entries = append(res.Entries, *f)
		}
	}
	if g.Written != nil && g.Written.Says.Of > 0 && says.Of > 0 {
		h := g.heard(found, len(o.Only) == 0 && o.Shard.Of <= 1)
		res.Entries = append(res.Entries, g.Written.Says.judge(says, h, g.Environment))
	}
	return res
}

func inRunOrder(runs []Run) {
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Repeat, b.Repeat),
			cmp.Compare(batch.Truth(a.Again), batch.Truth(b.Again)))
	})
}

// conclude draws the result of the whole: the worst of any entry.
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

// unmeasured reports whether the file has no runs of an entry of a snapshot.
func (e *Entry) unmeasured() bool { return e.Found != nil && e.Found.Runs == 0 }

// compared takes back that an unmeasured entry passed, unless its file is still to be written:
// nothing was compared.
func (g *File) compared(e *Entry, f *EntryResult) {
	if g.Written == nil || !e.unmeasured() || f.Result != Passed {
		return
	}
	f.open("It was not measured when the file was written, so nothing can be compared. Now: %s. "+
		"Write the file anew.", f.Claim)
	if g.Allowed(e.Name) {
		f.Result = Allowed
	}
}

// advise says how a run of a snapshot is done with the lock as it was, and how to come to know what
// a busy machine left unknown.
func (g *File) advise(e *Entry, f *EntryResult) {
	if e.Found != nil && f.Shown != nil && f.Result != Passed {
		f.Shown.Then = e.command(f.Shown.Seed, g.measured())
	}
	there := g.Written != nil || !e.unmeasured() // else the file is still to be written
	if f.Result == Unknown && there && slices.ContainsFunc(f.Runs, func(r Run) bool {
		return r.Disturbed || r.Stalled
	}) {
		f.Claim += fmt.Sprintf(" Run it with nothing beside it: %s", advice.GateAlone.Of(g.File, f.Name))
	}
}

// measured is the lock that a snapshot was measured with; "" if it is not known.
func (g *File) measured() string {
	if g.Written == nil {
		return ""
	}
	return g.Written.Of
}

// InOrder are the entries, the worst first.
func (r *Result) InOrder() []EntryResult {
	rank := func(e EntryResult) int {
		return slices.IndexFunc(exits, func(x exitOf) bool { return x.outcome == e.Result })
	}
	return slices.SortedStableFunc(slices.Values(r.Entries), func(a, b EntryResult) int {
		return cmp.Or(rank(a)-rank(b),
			slices.Index(changes, a.Change)-slices.Index(changes, b.Change))
	})
}

// Count is how many entries have an outcome.
func (r *Result) Count(o Outcome) (n int) {
	for _, e := range r.Entries {
		if e.Result == o {
			n++
		}
	}
	return n
}

// Write writes gate.json.
func (r *Result) Write(w io.Writer) error {
	return history.WriteDocument(w, r)
}

// ReadResult reads what Write wrote.
func ReadResult(rd io.Reader) (*Result, error) {
	return batch.ReadDocument[Result](rd, "gate.json")
}

// ResultFile is the name of Result in the directory of a gate.
const ResultFile = "gate.json"

// ReadDir reads the result in the directory of a gate.
func ReadDir(dir string) (*Result, error) {
	r, err := batch.ReadFile[Result](filepath.Join(dir, ResultFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no directory of a gate: %w", dir, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// refused reports whether an error is the user's to mend.
func refused(err error) bool {
	var r RefusedError
	return errors.As(err, &r)
}
