package matrix

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/reports/page"
)

// needRow says what a lock needs to be safe, column by column of needs.
type needRow struct {
	Name     string
	Declares string
	Needs    []needed
}

// needed is one thing that a lock needs. State is safe (it needs nothing), bad (nothing helps),
// some, or unknown.
type needed struct {
	Text, State, Why string
}

// asks derives one column of the table of needs from the cells of some faults. If a cell has a
// violation, the lock needs that the event in the column's head never happens or stays small.
type asks struct {
	head      string
	columns   []string // faults
	needs     string   // the need if a property is violated
	otherwise string   // the need if nothing is violated
	except    string   // a column whose cell is safe makes the need weaker
	weaker    string
}

// counted are the properties whose violation counts.
const counted = "SLODF"

// needsOf are the columns: time, clocks, durability, messages.
var needsOf = []asks{
	{head: "Longest pause of a client", columns: []string{"pause"},
		needs: "shorter than the lease", otherwise: "any"},
	{head: "Longest work", columns: []string{"longwork"},
		needs: "shorter than the lease", otherwise: "any"},
	{head: "Longest stall of Redis", columns: []string{"busy", "node-pause"},
		needs: "shorter than the lease", otherwise: "any"},
	{head: "Clients’ clocks", columns: []string{"clock-client"},
		needs: "must agree", otherwise: "may be wrong"},
	{head: "Redis’ clock", columns: []string{"clock-server+", "clock-server-"},
		needs: "must not jump", otherwise: "may jump"},
	{head: "Data after a restart", columns: []string{"restart"},
		needs: "must be kept", otherwise: "may be lost", except: "restart-delayed",
		weaker: "must be kept, or Redis stays away for a lease"},
	{head: "Failover", columns: []string{"failover"}, needs: "must not lose a write",
		otherwise: "may lose writes"},
	{head: "Messages", columns: []string{"partition", "request-loss", "reply-loss", "late"},
		needs: "must not be late or lost", otherwise: "may be late or lost"},
	{head: "A client’s death", columns: []string{"crash"},
		needs: "must not happen inside", otherwise: "may happen"},
}

func needHeads(m *matrix.Matrix) (heads []string) {
	for _, a := range asked(m) {
		heads = append(heads, a.head)
	}
	return heads
}

// asked returns the needs whose faults this matrix tried.
func asked(m *matrix.Matrix) []asks {
	return slices.DeleteFunc(slices.Clone(needsOf), func(a asks) bool {
		return !slices.ContainsFunc(m.Columns, func(c matrix.Column) bool {
			return slices.Contains(a.columns, c.Name)
		})
	})
}

func needRows(m *matrix.Matrix) (rows []needRow) {
	for _, r := range m.Rows {
		row := needRow{Name: page.Clean(r.Name, 60), Declares: declaredBy(r)}
		for _, a := range asked(m) {
			row.Needs = append(row.Needs, a.needOf(m, r.Name))
		}
		rows = append(rows, row)
	}
	return rows
}

// needOf returns what a row's lock needs to survive the faults of a.
func (a asks) needOf(m *matrix.Matrix, row string) needed {
	if free := m.Cell(row, "none"); free != nil && strings.ContainsAny(strings.Join(free.Found(), ""),
		counted) {
		return needed{"nothing helps", "bad", "it fails without any fault"}
	}
	var broken, open []string
	for _, name := range a.columns {
		c := m.Cell(row, name)
		switch {
		case c == nil || c.Elsewhere:
			open = append(open, name+" was not run")
			continue
		case c.Impossible != "":
			open = append(open, name+" is not possible: "+c.Impossible)
			continue
		}
		for _, l := range c.Properties {
			if !strings.Contains(counted, l.Name) {
				continue
			}
			if l.Found == checker.Violated {
				broken = append(broken, name+": "+l.Name)
			}
			if l.Found == checker.Unknown || l.Found == "" {
				open = append(open, name+": "+l.Name+" is unknown")
			}
		}
	}
	switch {
	case len(broken) > 0 && a.except != "" && safeIn(m, row, a.except):
		return needed{a.weaker, "some", strings.Join(broken, ", ")}
	case len(broken) > 0:
		return needed{a.needs, "some", strings.Join(broken, ", ")}
	case len(open) > 0:
		return needed{"not known", "unknown", page.Clean(strings.Join(open, "; "), 300)}
	}
	return needed{a.otherwise, "safe", "nothing was violated under " + units.List(a.columns)}
}

func safeIn(m *matrix.Matrix, row, column string) bool {
	c := m.Cell(row, column)
	return c != nil && len(c.Runs) > 0 &&
		!strings.ContainsAny(strings.Join(append(c.Found(), c.Unknown()...), ""), serious)
}

// declaredBy returns the declaration of a row's lock in the table of locks.
func declaredBy(r matrix.Row) string {
	e, err := r.Lock()
	if err != nil {
		return ""
	}
	return strings.Join(slices.Concat(units.If(e.Lease, "lease"), units.If(e.Validity, "validity"),
		units.If(e.Loss, "tells a loss"), units.If(e.Fencing, "fencing"),
		units.If(e.Reentrant, "re-entrant"), units.If(e.Watchdog && !r.NoWatchdog, "watchdog"),
		units.If(e.Topology == impls.Independent, "independent masters")), ", ")
}
