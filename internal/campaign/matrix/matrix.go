// Package matrix runs locks under faults, cell by cell, and compares the results with expectations
// that were written before anything was measured.
package matrix

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/findings"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Matrix is the result of the runs, stored in matrix.json.
type Matrix struct {
	Format      int               `json:"format"`
	Environment string            `json:"environment"`
	Versions    map[string]string `json:"versions,omitempty"`
	Machine     string            `json:"machine,omitempty"` // the machine, where it matters
	// the part of the matrix that this is, if other files hold the rest
	Shard   batch.Shard      `json:"shard,omitzero"`
	TTL     history.Duration `json:"ttl"`
	Repeat  int              `json:"repeat"`
	Seed    uint64           `json:"seed"`
	Took    history.Duration `json:"took,omitempty"`
	Partial bool             `json:"partial,omitempty"` // it was interrupted
	Rows    []Row            `json:"rows"`
	Columns []Column         `json:"columns"`
	Cells   []Cell           `json:"cells"`
	Costs   []RowCost        `json:"costs,omitempty"`
	// the violations, compared with the matrix before
	Findings []findings.Finding `json:"findings,omitempty"`
}

// Tested returns the cells that were run, for findings.
func (m *Matrix) Tested() (cells []findings.Cell) {
	for _, c := range m.Cells {
		if c.Impossible != "" || c.Elsewhere {
			continue
		}
		f := findings.Cell{Lock: c.Row, Fault: c.Column}
		for _, p := range c.Properties {
			if !p.Inherited {
				f.Add(p.Name, p.Found)
			}
		}
		cells = append(cells, f)
	}
	return cells
}

// Cell is the result of one lock under one fault.
type Cell struct {
	Row        string     `json:"row"`
	Column     string     `json:"column"`
	Impossible string     `json:"impossible,omitempty"` // the reason why it was not run
	Elsewhere  bool       `json:"elsewhere,omitempty"`  // another shard runs it
	Known      bool       `json:"known"`                // there is an expectation
	Expected   []string   `json:"expected"`
	Properties []Property `json:"properties"`
	Runs       []Result   `json:"runs"`
}

// Property is the result for one property in one cell.
type Property struct {
	Name  string         `json:"property"`
	Found checker.Result `json:"found"`
	Runs  int            `json:"runs,omitempty"`  // runs that violated it
	Of    int            `json:"of,omitempty"`    // runs of the aims that violated it
	Class string         `json:"class,omitempty"` // of the violation
	// found without any fault, so it does not need this fault
	Inherited bool   `json:"inherited,omitempty"`
	Reason    string `json:"reason,omitempty"` // the reason why it is unknown or n.a.
	Dir       string `json:"dir,omitempty"`    // directory of the run that shows it
}

// New sorts results into cells. The repetition of a run replaces it if the machine was too slow for
// it.
func New(o Options, results []Result) (*Matrix, error) {
	rs, cs, err := o.rowsAndColumns()
	if err != nil {
		return nil, err
	}
	m := &Matrix{Format: batch.Format, Environment: o.Environment, Seed: o.Seed, Shard: o.Shard,
		TTL: history.Duration(cmp.Or(o.TTL, DefaultTTL)), Repeat: max(o.Repeat, 1), Rows: rs, Columns: cs}
	results = inTaskOrder(o, results)
	repeated := map[string]bool{}
	for _, r := range results {
		repeated[r.key()] = repeated[r.key()] || r.Alone
	}
	byCell := map[string][]Result{}
	for _, r := range results {
		if !r.Alone && repeated[r.key()] && r.Unfit() {
			continue
		}
		byCell[r.Row+"|"+r.Column] = append(byCell[r.Row+"|"+r.Column], r)
	}
	for _, r := range rs {
		free := NewCell(r, AllColumns()[0], byCell[r.Name+"|none"], nil)
		for _, c := range cs {
			cell := NewCell(r, c, byCell[r.Name+"|"+c.Name], &free)
			if why := o.impossible(r, c); why != "" {
				cell.Impossible, cell.Properties = why, nil
			}
			if cell.Elsewhere = o.Shard.Of > 1 && cell.Impossible == "" &&
				len(cell.Runs) == 0; cell.Elsewhere {
				cell.Properties = nil
			}
			m.Cells = append(m.Cells, cell)
		}
	}
	return m, nil
}

// inTaskOrder sorts results by their tasks, with repetitions at the end, so that a matrix does not
// depend on which run ended first.
func inTaskOrder(o Options, results []Result) []Result {
	o.Shard = batch.Shard{}
	tasks, err := o.Tasks()
	if err != nil {
		return results
	}
	place := map[string]int{}
	for i, t := range tasks {
		place[t.run()] = i
	}
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b Result) int {
		return cmp.Or(cmp.Compare(batch.Truth(a.Alone), batch.Truth(b.Alone)), cmp.Compare(place[a.key()],
			place[b.key()]))
	})
	return sorted
}

// NewCell judges a cell from its runs. A property that is violated without any fault counts as
// violated under every fault.
func NewCell(r Row, c Column, runs []Result, free *Cell) Cell {
	cell := Cell{Row: r.Name, Column: c.Name, Impossible: Impossible(r, c), Runs: runs}
	if r.Adapter == "" { // the expectations are for lockbench's own locks; some have a library's name
		cell.Expected, cell.Known = Expected(r.Name, c.Name)
	}
	if cell.Impossible != "" {
		return cell
	}
	for _, name := range lettersOf(runs) {
		l := newProperty(name, runs)
		if free != nil && l.Found != checker.Violated && len(runs) > 0 {
			if f := free.Property(name); f.Found == checker.Violated {
				l = f
				l.Inherited = true
			}
		}
		cell.Properties = append(cell.Properties, l)
	}
	return cell
}

// lettersOf returns the properties of the matrix. It adds U if runs have judged it. U is for locks
// that keep no client out.
func lettersOf(runs []Result) []string {
	if slices.ContainsFunc(runs, func(r Result) bool {
		return r.Properties[history.LostUpdate] != ""
	}) {
		return append(slices.Clone(batch.Properties), history.LostUpdate)
	}
	return batch.Properties
}

// newProperty combines the results of the runs for one property. Violated outranks unknown, which
// outranks valid.
func newProperty(name string, runs []Result) Property {
	l := Property{Name: name, Found: checker.NA}
	if len(runs) == 0 {
		return Property{Name: name, Found: checker.Unknown, Reason: "not run"}
	}
	hit := map[string]bool{}
	for _, r := range runs {
		v, judged := r.Properties[name]
		switch {
		case !judged && len(r.Properties) > 0:
			v = checker.NA // an older lockbench without this property did the run
		case !judged:
			v = checker.Unknown
		}
		if batch.Rank(v) > batch.Rank(l.Found) {
			l.Found, l.Reason, l.Dir, l.Class = v, cmp.Or(r.Reasons[name], r.HarnessError), r.Dir,
				r.Classes[name]
		} else if l.Reason == "" {
			l.Reason = r.Reasons[name]
		}
		if v == checker.Violated {
			l.Runs++
			hit[r.Nemesis] = true
		}
	}
	for _, r := range runs {
		if hit[r.Nemesis] {
			l.Of++
		}
	}
	if l.Found == checker.Violated || l.Found == checker.Valid {
		l.Reason = ""
	}
	return l
}

// Property returns the result for one property.
func (c *Cell) Property(name string) Property {
	for _, l := range c.Properties {
		if l.Name == name {
			return l
		}
	}
	return Property{Name: name, Found: checker.Unknown}
}

// Found returns the violated properties.
func (c *Cell) Found() (out []string) {
	for _, l := range c.Properties {
		if l.Found == checker.Violated {
			out = append(out, l.Name)
		}
	}
	return out
}

// Unknown returns the properties whose verdict is unknown. It omits properties that do not decide a
// run, such as a waiting time that a scenario could not measure.
func (c *Cell) Unknown() (out []string) {
	for _, l := range c.Properties {
		if l.unknown() && !slices.Contains(reported, l.Name) {
			out = append(out, l.Name)
		}
	}
	return out
}

// Untold reports whether no property of the cell is known.
func (c *Cell) Untold() bool {
	return !slices.ContainsFunc(c.Properties, func(l Property) bool { return !l.unknown() })
}

func (l Property) unknown() bool { return l.Found == checker.Unknown || l.Found == "" }

// reported lists the properties that do not decide a run.
var reported = history.ReportedProperties()

// Missing returns the properties that were expected but not found.
func (c *Cell) Missing() []string {
	return slices.DeleteFunc(slices.Clone(c.Expected), func(l string) bool {
		return !c.Known || c.Impossible != "" || c.Elsewhere || slices.Contains(c.Found(), l)
	})
}

// More returns the properties that were found but not expected. It omits properties that are found
// without any fault, because the first column shows them.
func (c *Cell) More() []string {
	return slices.DeleteFunc(c.Found(), func(l string) bool {
		return !c.Known || slices.Contains(c.Expected, l) || c.Property(l).Inherited
	})
}

// String formats the cell for a table: "SL" or "-", with "?" for unknown properties, "n/p" if it is
// impossible, and "·" if another shard runs it.
func (c *Cell) String() string {
	if c.Impossible != "" {
		return "n/p"
	}
	if c.Elsewhere {
		return "·"
	}
	found, unknown := strings.Join(c.Found(), ""), strings.Join(c.Unknown(), "")
	switch {
	case found == "" && unknown == "":
		return "-"
	case unknown == "":
		return found
	case c.Untold():
		return "?"
	}
	return found + " " + unknown + "?"
}

// Cell returns a cell by its names, or nil.
func (m *Matrix) Cell(row, column string) *Cell {
	for i := range m.Cells {
		if m.Cells[i].Row == row && m.Cells[i].Column == column {
			return &m.Cells[i]
		}
	}
	return nil
}

// Write writes matrix.json.
func (m *Matrix) Write(w io.Writer) error {
	return history.WriteDocument(w, m)
}

// Read reads the output of Write.
func Read(r io.Reader) (*Matrix, error) {
	return batch.ReadDocument[Matrix](r, "matrix.json")
}
