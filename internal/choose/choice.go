package choose

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Query is what a user can name: the faults that can happen, and what the lock must have.
type Query struct {
	Faults []string // columns of the matrix
	// the lease, and the longest pause and the longest work that are expected: what is longer than
	// the lease is a fault of its own
	Lease, Pause, Work time.Duration
	Told               bool // the holder is told that its hold is over
	// the guarded resource refuses old tokens: F counts, and two clients inside do not
	Fencing  bool
	NoOutage bool // a fault keeps no client out for long
}

// Choice is a lock or a library, and whether it remains.
type Choice struct {
	Lock     string   `json:"lock"`
	Library  string   `json:"library,omitempty"`
	Remains  bool     `json:"remains"`
	Against  []string `json:"against,omitempty"` // why it does not remain
	Proofs   []Proof  `json:"proofs,omitempty"`  // a fault each
	Declares []string `json:"declares,omitempty"`
	Outages  []string `json:"outages,omitempty"` // faults that keep all clients out for long
	Remarks  []string `json:"remarks,omitempty"` // when a fault that was asked for does harm
	Unable   []string `json:"unable,omitempty"`  // other faults that cannot be tried, and why
	Needs    string   `json:"needs"`             // the servers
	Untried  []string `json:"untried,omitempty"` // other faults, of which nothing is known
	Breaks   []string `json:"breaks,omitempty"`  // by other faults: "crash: D"
	// faults of all, after which no client gets in again
	Deadlocks []string `json:"deadlocks,omitempty"`
	// faults of all that show a defect of the lock itself, with what they violate
	Defects []string        `json:"defects,omitempty"`
	Cost    *matrix.RowCost `json:"cost,omitempty"`

	lacking bool // it does not have what the user demands

	broken int // faults that break it
	unsure int // other faults that were run, and of which it is not known
	open   int // faults of which it is not known whether they do: they come after what is known
	unable int // other faults that cannot be tried
}

// Proof is what a lock did under one fault, and the command that shows it.
type Proof struct {
	Fault   string `json:"fault"`
	Runs    int    `json:"runs"` // in which nothing that counts was violated
	Rates   []Rate `json:"rates,omitempty"`
	Command string `json:"command"`
	// other moments of the fault that are among the runs, as --nemesis has them
	Also []string `json:"also,omitempty"`
}

// Shown is the command, with a comment of the shell that names the other moments.
func (p Proof) Shown() string {
	if len(p.Also) == 0 {
		return p.Command
	}
	return p.Command + "  # and " + strings.Join(p.Also, ", ")
}

// Promised returns the command with what it promises of a lock that remains: no run of the records
// violated what counts. A successor of a paused holder is inside with it, and where the resource
// refuses old tokens that does no harm.
func (p Proof) Promised() advice.Command {
	c := advice.Command{Line: p.Command}
	if p.Runs == 0 || len(p.Rates) > 0 {
		return c
	}
	c.Exits = []int{checker.ExitExpected}
	if strings.Contains(p.Command, Fenced) && p.Fault == "pause" {
		c.Says = []string{"it did no harm", "the resource refused"}
	}
	return c
}

// Choose goes through all locks and libraries: what remains first, then what fails least.
func Choose(q Query) ([]Choice, error) {
	own, libraries, err := sources()
	if err != nil {
		return nil, err
	}
	faults, err := q.faults()
	if err != nil {
		return nil, err
	}
	return choose(q, faults, own, libraries), nil
}

// ChooseFrom is Choose of the rows of one matrix.
func ChooseFrom(m *matrix.Matrix, q Query) ([]Choice, error) {
	faults, err := q.faults()
	if err != nil {
		return nil, err
	}
	return choose(q, faults, source{m, nil}), nil
}

func choose(q Query, faults []string, from ...source) (out []Choice) {
	for _, s := range from {
		for _, r := range s.Rows {
			if c, ok := s.choice(r, q, faults); ok {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.jams(), b.jams()),
			cmp.Compare(a.open, b.open), cmp.Compare(a.broken, b.broken),
			cmp.Compare(len(a.Against), len(b.Against)), cmp.Compare(a.doubts(), b.doubts()))
	})
	return out
}

// doubts are the other faults that break it, or may.
func (c Choice) doubts() int {
	return len(c.Breaks) + len(c.Untried) + len(c.Remarks) + c.unsure + c.unable
}

func rank(c Choice) int {
	if c.Remains {
		return 0
	}
	return 1
}

// jams returns 1 if some fault leaves the lock taken for ever, or 0.
func (c Choice) jams() int { return batch.Truth(len(c.Deadlocks) > 0) }

// Undecided reports whether nothing is known to break a lock that does not remain.
func (c Choice) Undecided() bool { return !c.Remains && c.broken == 0 && c.open > 0 && !c.lacking }

// always are the columns that every query asks for: a client of any lock can crash.
var always = []string{"none", crash}

const crash = "crash"

// faults are the columns that are asked for, with those of always. No fault comes first.
func (q Query) faults() ([]string, error) {
	names := append(slices.Clone(q.Faults), always...)
	if q.Lease > 0 && q.Pause >= q.Lease {
		names = append(names, "pause")
	}
	if q.Lease > 0 && q.Work >= q.Lease {
		names = append(names, "longwork")
	}
	_, columns, err := matrix.RowsAndColumns(nil, names)
	if err != nil {
		return nil, err
	}
	out := []string{"none"}
	for _, c := range columns {
		if c.Name != "none" {
			out = append(out, c.Name)
		}
	}
	return out, nil
}

// choice judges a row; not ok if it is no lock to use.
func (s source) choice(r matrix.Row, q Query, faults []string) (c Choice, ok bool) {
	lock, err := r.Lock()
	if err != nil || r.Has(impls.Posted) || lock.Control() {
		return c, false
	}
	c = Choice{Lock: r.Name, Library: r.Library, Needs: r.Needs(), Cost: s.CostOf(r.Name),
		Declares: declared(lock)}
	if q.Told { // a lock that says until when a hold is good does not tell that it has ended
		c.Against = append(c.Against, lacks(!lock.Loss, Untold)...)
	}
	if q.Fencing {
		c.Against = append(c.Against, lacks(!lock.Fencing, Unfenced)...)
	}
	c.lacking = len(c.Against) > 0
	q.Fencing = q.Fencing && lock.Fencing // without tokens there are none to refuse
	why := map[string][]string{}          // faults that cannot be tried, by the reason
	for _, col := range s.Columns {
		cell, asked := s.Cell(r.Name, col.Name), slices.Contains(faults, col.Name)
		t := s.standing(r, col.Name, q)
		c.note(cell, col.Name)
		if asked && t.Remark != "" {
			c.Remarks = append(c.Remarks, t.Remark)
		}
		switch {
		case !asked && unable(r, col, cell):
			if len(why[cell.Impossible]) == 0 {
				c.Unable = append(c.Unable, cell.Impossible)
			}
			why[cell.Impossible] = append(why[cell.Impossible], col.Name)
			c.unable++
		case !asked && t.Broken && col.Name != "none":
			c.Breaks = append(c.Breaks, col.Name+": "+strings.Join(q.counts(cell.Found()), ""))
		case !asked:
			ran := cell != nil && cell.Impossible == "" && len(cell.Runs) > 0
			c.unsure += batch.Truth(t.Against != "" && !t.Broken && ran)
		case t.Against != "":
			c.Against = append(c.Against, t.Against)
			c.broken += batch.Truth(t.Broken)
			c.open += batch.Truth(!t.Broken)
		}
		if asked && (t.Against == "" || t.Broken) {
			p := s.proof(r, cell)
			if q.Fencing {
				p.Command += Fenced
			}
			if t.Remark != "" {
				p.Runs = 0 // they were not clean
			}
			c.Proofs = append(c.Proofs, p)
		}
	}
	for i, reason := range c.Unable {
		c.Unable[i] = strings.Join(why[reason], ", ") + ": " + reason
	}
	for _, col := range matrix.Columns() {
		if s.Cell(r.Name, col.Name) == nil && !slices.Contains(faults, col.Name) {
			c.Untried = append(c.Untried, col.Name)
		}
	}
	for _, f := range faults {
		if !slices.ContainsFunc(s.Columns, func(col matrix.Column) bool { return col.Name == f }) {
			c.unrun(r, f)
		}
	}
	c.Remains = len(c.Against) == 0
	return c, true
}

// note keeps what a cell shows of the lock, whatever the user asked for.
func (c *Choice) note(cell *matrix.Cell, column string) {
	if cell == nil {
		return
	}
	if slices.Contains(cell.Found(), checker.Outage) {
		c.Outages = append(c.Outages, column)
	}
	if slices.Contains(cell.Found(), checker.Deadlock) {
		c.Deadlocks = append(c.Deadlocks, column)
	}
	if letters := defects(cell); len(letters) > 0 {
		c.Defects = append(c.Defects, column+": "+strings.Join(letters, ""))
	}
}

// unrun notes a fault that the records have no column of.
func (c *Choice) unrun(r matrix.Row, fault string) {
	c.open++
	if why := impossible(r, fault); why != "" {
		c.broken++ // it comes after what can be tried
		c.Against = append(c.Against, fault+" cannot be tried: "+why)
		return
	}
	c.Against = append(c.Against, fault+" was not run")
}

// unable reports whether a fault that could happen to the servers of a lock could not be tried.
func unable(r matrix.Row, col matrix.Column, cell *matrix.Cell) bool {
	return cell != nil && cell.Impossible != "" && impossible(r, col.Name) == "" &&
		slices.ContainsFunc(col.Aims, func(a matrix.Aim) bool { return a.Suits(r) })
}

// impossible says why a lock cannot be run under a fault of servers that agree on every write; ""
// if it can, or the fault is another.
func impossible(r matrix.Row, fault string) string {
	on := nemesis.CapabilitiesOf("process").On(r.System())
	if ensemble := (nemesis.Scenario{Topology: nemesis.Ensemble}); on.Possible(ensemble) != nil &&
		(fault == "leader-loss" || fault == "member-loss") {
		return "its servers do not agree on writes; see failover"
	}
	return ""
}

// Tells is what a lock declares whose holder is told. Whether that was in time is in no matrix:
// each run's report has it (N).
const Tells = "declares that it tells a loss"

// What a lock lacks that a user may demand.
const (
	Untold   = "it does not declare that it tells a loss"
	Unfenced = "it gives no fencing tokens"
)

func lacks(is bool, what string) []string {
	if is {
		return []string{what}
	}
	return nil
}

func (s source) proof(r matrix.Row, c *matrix.Cell) Proof {
	rates := s.rates(c)
	aim := c.Column
	if len(rates) > 0 {
		aim = rates[0].Nemesis
	} else if i := slices.IndexFunc(c.Runs, aimed); i >= 0 {
		aim = c.Runs[i].Nemesis
	}
	p := Proof{Fault: c.Column, Runs: s.runs(c), Rates: rates, Command: command("run", r, aim)}
	for _, a := range c.Runs {
		if len(rates) == 0 && aimed(a) && a.Nemesis != aim && !slices.Contains(p.Also, a.Nemesis) {
			p.Also = append(p.Also, a.Nemesis)
		}
	}
	return p
}

// Fenced is what a proof has more where the resource refuses old tokens. Such a run judges what the
// resource keeps, and says whether two clients were inside.
const Fenced = " --workload fenced --properties D,F,U"

// aimed reports whether a run was no control, which shows that a fault that must do no harm does
// none.
func aimed(r matrix.Result) bool { return !r.Control }

// command runs the lock of a row under a fault.
func command(verb string, r matrix.Row, nemesis string) string {
	what := "--impl " + r.Impl
	if r.Adapter != "" {
		what = "--adapter " + r.Adapter
	}
	if r.Variant != "" {
		what += " --variant " + r.Variant
	}
	if r.NoWatchdog {
		what += " --watchdog=false"
	}
	return advice.Verb(verb) + " " + what + " --nemesis " + nemesis
}

// declared is what a lock promises.
func declared(e impls.Entry) (out []string) {
	for _, d := range []struct {
		is   bool
		what string
	}{{e.Lease, "lease"}, {e.Validity, "validity"}, {e.Loss, Tells}, {e.Fencing, "fencing"},
		{e.Reentrant, "re-entrant"}} {
		if d.is {
			out = append(out, d.what)
		}
	}
	return out
}
