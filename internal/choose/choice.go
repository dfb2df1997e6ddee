package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Query is a user's request: the faults that can happen, and the demands on the lock.
type Query struct {
	Faults []string // columns of the matrix
	// The lease, and the longest expected pause and work. Work that is longer than the lease counts as
	// a fault, and so does a pause that may outlast it (see pauses).
	Lease, Pause, Work time.Duration
	Told               bool // the holder must be told when its hold is over
	// the guarded resource refuses old tokens, so F counts but overlapping holds do not
	Fencing  bool
	NoOutage bool // no fault may keep clients out for long
}

// Choice is a lock or a library, and whether it meets the query.
type Choice struct {
	Lock     string   `json:"lock"`
	Library  string   `json:"library,omitempty"`
	Remains  bool     `json:"remains"`
	Against  []string `json:"against,omitempty"` // the reasons why it does not remain
	Proofs   []Proof  `json:"proofs,omitempty"`  // one for each fault
	Declares []string `json:"declares,omitempty"`
	Outages  []string `json:"outages,omitempty"` // faults that keep all clients out for long
	Remarks  []string `json:"remarks,omitempty"` // conditions under which a requested fault does harm
	Unable   []string `json:"unable,omitempty"`  // other faults that cannot be tried, and why
	Needs    string   `json:"needs"`             // the servers
	Untried  []string `json:"untried,omitempty"` // other faults without results
	// properties that count and that no run can judge under a fault of the query
	Unjudged []string `json:"unjudged,omitempty"`
	Breaks   []string `json:"breaks,omitempty"` // violations by other faults: "crash: D"
	// all faults after which no client gets in again
	Deadlocks []string `json:"deadlocks,omitempty"`
	// all faults that show a defect of the lock itself, with the violated properties
	Defects []string        `json:"defects,omitempty"`
	Cost    *matrix.RowCost `json:"cost,omitempty"`
	// the median acquire of one client that competes with no other
	Alone history.Duration `json:"alone,omitempty"`
	Name  string           `json:"name"`  // the lock with its servers, for tables
	Gives []string         `json:"gives"` // and how many servers it needs

	family  string // the library, or the lock of which it is a form
	system  string // of its servers
	quality quality

	lacking bool // it does not meet a demand of the user

	broken int // number of faults that break it
	open   int // number of requested faults with unknown results
	unable int // number of other faults that cannot be tried
}

// Proof is the result of a lock under one fault, with a command that shows it.
type Proof struct {
	Fault   string `json:"fault"`
	Runs    int    `json:"runs"` // runs without a violation that counts
	Rates   []Rate `json:"rates,omitempty"`
	Command string `json:"command"`
	// other moments of the fault among the runs, as values of --nemesis
	Also []string `json:"also,omitempty"`

	flags string // the end of the command
	aim   string // the moment of the fault in the command
}

// tried reports whether the runs had a fault at this moment.
func (p Proof) tried(fault string) bool {
	same := func(aim string) bool { return nemesis.SameAim(aim, fault) }
	return same(p.aim) || slices.ContainsFunc(p.Also, same) ||
		slices.ContainsFunc(p.Rates, func(r Rate) bool { return same(r.Nemesis) })
}

// Lines returns the command for a narrow screen.
func (p Proof) Lines() string {
	return strings.TrimSuffix(p.Command, p.flags) + strings.Replace(p.flags, " ", " \\\n      ", 1)
}

// Shown returns the command. A shell comment after it names the other moments of the proof.
func (p Proof) Shown() string {
	if len(p.Also) == 0 {
		return p.Command
	}
	return p.Command + "  # and " + strings.Join(p.Also, ", ")
}

// Choose returns all locks and libraries. The locks that remain come first, the best one first of
// all, and then the locks that fail least.
func Choose(q Query) ([]Choice, error) {
	all, err := sources()
	if err != nil {
		return nil, err
	}
	return choose(q, all...)
}

// ChooseFrom is like Choose for the rows of one matrix.
func ChooseFrom(m *matrix.Matrix, q Query) ([]Choice, error) {
	return choose(q, newSource(m, nil, nil))
}

func choose(q Query, from ...source) (out []Choice, err error) {
	faults, err := q.faults()
	if err != nil {
		return nil, err
	}
	for _, s := range from {
		for _, r := range s.Rows {
			if c, ok := s.choice(r, q, faults); ok {
				out = append(out, c)
			}
		}
	}
	sortChoices(out)
	return out, nil
}

// lacksOnly reports whether the lock does not meet a demand, and no fault is known to break it.
func (c Choice) lacksOnly() bool { return c.lacking && c.broken == 0 }

// staysClean reports whether the lock is clean under the faults of the query, whatever else the
// query demands.
func (c Choice) staysClean() bool { return c.Remains || c.lacksOnly() && c.open == 0 }

// Undecided reports whether the lock does not remain but no fault is known to break it.
func (c Choice) Undecided() bool { return !c.Remains && c.broken == 0 && c.open > 0 && !c.lacking }

// always lists the columns of every query, because a client of any lock can crash. A query about no
// fault alone is about that.
var always = []string{"none", crash}

const (
	crash    = "crash"
	longwork = "longwork"
)

// faults returns the requested columns and the columns of always. Column "none" comes first.
func (q Query) faults() ([]string, error) {
	names := slices.Clone(q.Faults)
	if calm := q.Lease == 0 && slices.Equal(names, always[:1]); !calm {
		names = append(names, always...)
	}
	if q.pauses() {
		names = append(names, "pause")
	}
	if q.Work > 0 && q.Work >= q.Lease {
		names = append(names, longwork)
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

// pauses reports whether a pause may outlast the lease: with the work that it interrupts, or if the
// lock must renew its lease during the work, with the time since the last renewal. A pause or work
// outlasts a lease that is not known.
func (q Query) pauses() bool {
	if q.Work >= q.Lease {
		return q.Pause > 0 && 2*q.Pause >= q.Lease
	}
	return q.Pause > 0 && q.Pause+q.Work >= q.Lease
}

// choice judges a row. It returns false if the lock is not for use.
func (s source) choice(r matrix.Row, q Query, faults []string) (c Choice, ok bool) {
	lock, err := r.Lock()
	if err != nil || r.Has(impls.Posted) || lock.Control() {
		return c, false
	}
	c = Choice{Lock: r.Name, Library: r.Library, Needs: r.Needs(), Cost: s.CostOf(r.Name),
		Declares: declared(lock), Alone: s.aloneOf(r), Name: name(r), Gives: gives(r, lock),
		family: cmp.Or(r.Adapter, r.Impl), system: r.System()}
	if q.Told { // a lock that only declares how long a hold is valid does not tell that it has ended
		c.Against = append(c.Against, units.If(!lock.Loss, Untold)...)
	}
	if q.Fencing {
		c.Against = append(c.Against, units.If(!lock.Fencing, Unfenced)...)
	}
	if slices.Contains(faults, longwork) {
		c.Against = append(c.Against, units.If(lock.Optimistic, Holdless)...)
	}
	c.lacking = len(c.Against) > 0
	q.Fencing = q.Fencing && lock.Fencing // without tokens there is nothing to refuse
	why := map[string][]string{}          // faults that cannot be tried, by reason
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
		case t.Against != "":
			c.Against = append(c.Against, t.Against)
			c.broken += batch.Truth(t.Broken || t.Never)
			c.open += batch.Truth(!t.Broken && !t.Never)
		}
		if asked && (t.Against == "" || t.Broken) {
			c.Unjudged = history.Distinct(append(c.Unjudged, q.counts(cell.Unknown())...))
			p := s.proof(r, cell)
			if lease := matrix.LeaseOf(r, col.Fault(), q.Lease); q.Lease > 0 && 0 < lease &&
				harness.AwaitsLease(lease, harness.DefaultFor) { // otherwise it has the usual one
				p.Command += fmt.Sprint(" --ttl ", lease)
			}
			p.flags = proofFlags(r, q)
			p.Command += p.flags
			if t.Remark != "" {
				p.Runs = 0 // these runs were not clean
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
	c.Remains, c.quality = len(c.Against) == 0, s.quality(r, lock, c)
	return c, true
}

// note records what a cell shows about the lock, whatever the query.
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

// unrun records a fault without a column in the matrix.
func (c *Choice) unrun(r matrix.Row, fault string) {
	c.open++
	if why := impossible(r, fault); why != "" {
		c.broken++ // sorts it after locks that can be tried
		c.Against = append(c.Against, fault+" cannot be tried: "+why)
		return
	}
	c.Against = append(c.Against, fault+" was not run")
}

// unable reports whether a fault could happen to the servers of a lock but cannot be tried.
func unable(r matrix.Row, col matrix.Column, cell *matrix.Cell) bool {
	return cell != nil && cell.Impossible != "" && impossible(r, col.Name) == "" &&
		slices.ContainsFunc(col.Aims, func(a matrix.Aim) bool { return a.Suits(r) })
}

// impossible returns the reason why a fault cannot happen to the servers of a lock, or "". Only two
// faults have such a reason: they strike servers that agree on every write, as those of etcd do.
func impossible(r matrix.Row, fault string) string {
	if fault != "leader-loss" && fault != "member-loss" {
		return ""
	}
	on := nemesis.CapabilitiesOf("process").On(r.System())
	if on.Possible(nemesis.Scenario{Topology: nemesis.Ensemble}) != nil {
		return "its servers do not agree on writes; see failover"
	}
	return ""
}

// Tells is the declaration of a lock that tells its holder about a loss. The matrix does not show
// whether it does so in time, but the report of each run does (N).
const Tells = "declares that it tells a loss"

// Demands of a user that a lock does not meet.
const (
	Untold   = "it does not declare that it tells a loss"
	Unfenced = "it gives no fencing tokens"
	// of an optimistic lock, for long work
	Holdless = "it keeps no one out while a client works, and refuses the later write"
)

func (s source) proof(r matrix.Row, c *matrix.Cell) Proof {
	rates := s.rates(c)
	aim := c.Column
	if len(rates) > 0 {
		aim = rates[0].Nemesis
	} else if i := slices.IndexFunc(c.Runs, aimed); i >= 0 {
		aim = c.Runs[i].Nemesis
	}
	p := Proof{Fault: c.Column, Runs: s.runs(c), Rates: rates, Command: command("run", r, aim),
		aim: aim}
	for _, a := range c.Runs {
		if len(rates) == 0 && aimed(a) && a.Nemesis != aim && !slices.Contains(p.Also, a.Nemesis) {
			p.Also = append(p.Also, a.Nemesis)
		}
	}
	return p
}

// refusing is appended to the command of a proof if the resource refuses old tokens. Such a run
// judges the resource, and says whether two clients were inside.
const refusing = " --workload fenced --properties D,F,U"

// proofFlags returns what a query appends to the command of a proof of a lock, so that the run
// judges what counts: whether the resource refuses old tokens, and whether an outage (A) counts.
func proofFlags(r matrix.Row, q Query) string {
	switch {
	case q.Fencing && q.NoOutage:
		return refusing + "," + checker.Outage
	case q.Fencing:
		return refusing
	case q.NoOutage:
		other := slices.Concat(history.ReportedProperties(), r.Unseen())
		deciding := slices.DeleteFunc(history.DefaultProperties(), func(p string) bool {
			return slices.Contains(other, p)
		})
		return " --properties " + strings.Join(append(deciding, checker.Outage), ",")
	}
	return ""
}

// aimed reports whether a run was not a control. A control shows that a harmless fault does no
// harm.
func aimed(r matrix.Result) bool { return !r.Control }

// command returns the command that runs the lock of a row under a fault.
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

// declared returns the declarations of a lock.
func declared(e impls.Entry) []string {
	return slices.Concat(units.If(e.Lease, "lease"), units.If(e.Validity, "validity"),
		units.If(e.Loss, Tells), units.If(e.Fencing, "fencing"), units.If(e.Reentrant, "re-entrant"))
}
