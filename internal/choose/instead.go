package choose

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// Instead names the locks to use in place of one that fails under a fault.
type Instead struct {
	Why     string   // why they do not fail, or "" if the runs alone say it
	Locks   []string // without a violation that counts, and without defects of their own
	Fault   string   // the fault under which they were run
	Runs    [2]int   // the fewest and the most clean runs of a lock under it
	Tokens  []string // the locks that keep their fencing tokens in Redis
	Fenced  bool     // the resource refuses old tokens
	Command advice.Command
}

// InsteadOf returns the locks that were measured to stay clean under the fault of a plan, or nil if
// it was not measured. If no lock stays clean, it returns those of a system that the fault cannot
// strike. If there are none, or without a fault, it returns the locks that stay clean when clients
// crash.
func InsteadOf(p harness.Plan) (*Instead, error) {
	faults := faultsOf(p)
	if len(faults) == 0 {
		return nil, nil
	}
	if len(faults) == 1 { // first a lock that withstands all that struck
		faults = append(faults, strings.Split(faults[0], ",")...)
	}
	for _, fault := range append(faults, crash) {
		if x, err := insteadUnder(fault); x != nil || err != nil {
			return x, err
		}
	}
	return nil, nil
}

// under caches the results of findInstead by fault, because an answer and each report need them.
var under sync.Map

// insteadUnder returns the locks to use under a fault, or nil. The caller must not change them.
func insteadUnder(fault string) (*Instead, error) {
	once, _ := under.LoadOrStore(fault, sync.OnceValues(func() (*Instead, error) {
		return findInstead(fault)
	}))
	return once.(func() (*Instead, error))()
}

// findInstead finds the locks to use under faults, which commas separate, or nil.
func findInstead(fault string) (*Instead, error) {
	q := Query{Faults: strings.Split(fault, ",")}
	all, err := choicesUnder(fault, false)
	if err != nil {
		return nil, err
	}
	if locks := flawless(all); len(locks) > 0 {
		return q.instead("", locks), nil
	}
	for _, w := range changed(q) {
		all, err := Choose(w.query)
		if err != nil {
			return nil, err
		}
		if locks := flawless(all); len(locks) > 0 {
			return w.query.instead(w.What, locks), nil
		}
	}
	return nil, nil
}

// flawless returns the locks that remain, keep clients out, and show no defect under any fault.
func flawless(all []Choice) []Choice {
	return slices.DeleteFunc(slices.Clone(all), func(c Choice) bool {
		return !c.Remains || c.quality.level == holdless || len(c.Defects)+len(c.Deadlocks) > 0
	})
}

func (q Query) instead(why string, locks []Choice) *Instead {
	x := &Instead{Why: why, Fault: strings.Join(q.Faults, ","), Fenced: q.Fencing}
	for _, c := range locks {
		x.Locks = append(x.Locks, c.Lock)
		if slices.Contains(c.Declares, "fencing") && c.system == nemesis.Redis {
			x.Tokens = append(x.Tokens, c.Lock)
		}
		for _, p := range c.Proofs {
			if p.Runs > 0 && slices.Contains(q.Faults, p.Fault) {
				x.Runs[0] = min(cmp.Or(x.Runs[0], p.Runs), p.Runs)
				x.Runs[1] = max(x.Runs[1], p.Runs)
			}
		}
	}
	x.Command = advice.Command{Line: q.Command(), Promise: advice.Promise{
		Exits: []int{checker.ExitExpected}, Says: x.Locks[:1]}}
	return x
}

// Note says what the tokens of these locks need if Redis keeps some of them. Otherwise it returns
// "".
func (x *Instead) Note(names []string) string {
	if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(x.Tokens, n) }) {
		return FencingNote
	}
	return ""
}

// Sibling is a variant of a library that was measured without a violation.
type Sibling struct {
	Proof
	Lock string   // its name
	Line string   // how a program asks the library for it
	Kept []string // the properties that were looked at, or nil if all stay clean
}

// SiblingOf returns a variant of the plan's library that stays clean under the plan's fault, or
// else one that keeps the given properties, or nil. It prefers the variant that differs least from
// the plan's: on the same servers, with most of the same options. Fenced says that the resource
// refuses old tokens. The result may then also be the plan's own variant, or a library of another
// name on the same servers.
func SiblingOf(p harness.Plan, fenced bool, properties []string) (*Sibling, error) {
	row, ok := matrix.RowFor(p)
	if !ok || row.Adapter == "" {
		return nil, nil
	}
	record, err := Recorded()
	if err != nil {
		return nil, err
	}
	variants := slices.DeleteFunc(slices.Clone(record.Libraries.Rows), func(r matrix.Row) bool {
		return r.Adapter != row.Adapter || !fenced && r.Name == row.Name
	})
	slices.SortStableFunc(variants, func(a, b matrix.Row) int {
		return row.CountCommon(b) - row.CountCommon(a)
	})
	for _, r := range variants {
		s, err := best(p, fenced, func(x Choice) bool { return x.Lock == r.Name })
		if s != nil || err != nil {
			return s.asked(r), err
		}
	}
	if fenced && p.System() != "" {
		return best(p, fenced, func(x Choice) bool { return x.system == p.System() })
	}
	for _, r := range variants {
		if s := keeping(newSource(record.Libraries, nil, nil), r, p, properties); s != nil && !fenced {
			return s.asked(r), nil
		}
	}
	return nil, nil
}

// asked adds how a program asks for the variant of a row.
func (s *Sibling) asked(r matrix.Row) *Sibling {
	if s != nil {
		s.Line = r.Line()
	}
	return s
}

// keeping returns a variant that kept the properties in each run under the plan's fault, or nil.
func keeping(s source, r matrix.Row, p harness.Plan, properties []string) *Sibling {
	found := Proof{Command: command("run", r, p.Nemesis) + " --properties " +
		strings.Join(properties, ",")}
	for _, c := range matrix.ColumnsOf(p.Nemesis) {
		cell := s.Cell(r.Name, c.Name)
		if cell == nil {
			continue
		}
		for _, x := range cell.Runs {
			broken := slices.ContainsFunc(properties, func(letter string) bool {
				return x.Properties[letter] != checker.Valid
			})
			switch same := nemesis.SameAim(x.Nemesis, p.Nemesis); {
			case x.Control || x.Unfit() || !same:
			case broken:
				return nil
			default:
				found.Runs++
			}
		}
	}
	if found.Runs == 0 || len(properties) == 0 {
		return nil
	}
	return &Sibling{Proof: found, Lock: r.Name, Kept: properties}
}

// best returns the best of the locks that fit and stay clean under the fault of a plan, or nil.
func best(p harness.Plan, fenced bool, fits func(Choice) bool) (*Sibling, error) {
	for _, fault := range faultsOf(p) {
		all, err := choicesUnder(fault, fenced)
		if err != nil {
			return nil, err
		}
		for _, x := range all {
			worst, _, _ := strings.Cut(fault, ",")
			i := slices.IndexFunc(x.Proofs, func(o Proof) bool {
				return o.Fault == worst && (nemesis.Base(p.Nemesis) != fault || o.tried(p.Nemesis))
			})
			if x.Remains && fits(x) && i >= 0 {
				return &Sibling{Proof: x.Proofs[i], Lock: x.Lock}, nil
			}
		}
	}
	return nil, nil
}

// typical has a column for each assumption that random faults may break, the worst first.
var typical = []struct {
	breaks nemesis.Assumption
	column string
}{{nemesis.Durability, "failover"}, {nemesis.ServerClocks, "clock-server+"},
	{nemesis.ClientClocks, "clock-client"}, {nemesis.Survival, crash},
	{nemesis.Delivery, "partition"}, {nemesis.BoundedPauses, "pause"}}

// faultsOf returns the columns of a plan's fault. Without a fault, it returns that of a crash. For
// one that has no column and loses writes, it returns that of a failover. Random faults have one
// item: the typical columns of the assumptions that they broke, with commas between them.
func faultsOf(p harness.Plan) (names []string) {
	columns := matrix.ColumnsOf(p.Nemesis)
	for _, c := range columns {
		if c.Name != "none" {
			names = append(names, c.Name)
		}
	}
	about, _, _ := nemesis.Find(p.Nemesis)
	switch {
	case len(names) == 0 && len(columns) > 0 || p.Nemesis == "none":
		return []string{crash}
	case about.Drawn:
		return []string{strings.Join(brokenBy(p), ",")}
	case len(names) == 0 && p.Breaks(nemesis.Durability):
		return []string{"failover"}
	}
	return names
}

// brokenBy returns the typical columns of the assumptions that a plan breaks, or that of a crash.
func brokenBy(p harness.Plan) (names []string) {
	for _, t := range typical {
		names = append(names, units.If(p.Breaks(t.breaks) ||
			t.breaks == nemesis.Durability && matrix.Forgets(p), t.column)...)
	}
	if len(names) == 0 {
		return []string{crash}
	}
	return names
}
