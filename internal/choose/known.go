// Package choose looks up what this project has measured on real servers: how often a lock fails
// under a fault, what helped, and which locks do not fail. It says only what its record contains.
package choose

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Known holds the measurements of a lock under a fault.
type Known struct {
	Lock, Fault, Line string           // Line describes the fault
	TTL               history.Duration // 0: the library's own
	Server            string           // with its version, if known
	Rates             []Rate           // of the violated properties
	Drawn             []Hit            // results of a search without an aim in the simulator
	Search            string           // the command that repeats the search
	Clean             int              // number of runs, if none violated a property that counts
	Untold            []string         // properties that count and that no run could judge
	Helps             []Help
	// locks that are clean under this fault and a crash and have no defect under others
	Others []Choice
	Remain int // number of locks that are clean under this fault and a crash
	Asked  int // number of measured locks
}

// Lease names the lease of the measured runs.
func (k *Known) Lease() string {
	if k.TTL == 0 {
		return "its own lease"
	}
	return "a lease of " + units.Span(k.TTL)
}

// Rate is how often properties were violated in the scenario that finds them best.
type Rate struct {
	Properties []string `json:"properties"`
	Nemesis    string   `json:"nemesis"`
	Hits       int      `json:"hits"`
	Of         int      `json:"of"`
}

// String describes the rate in words.
func (r Rate) String() string {
	return fmt.Sprintf("%s in %d of %s of %s", strings.Join(r.Properties, ", "), r.Hits,
		units.Count(r.Of, "run"), r.Nemesis)
}

// Hit is the number of simulated runs that violated a property.
type Hit struct {
	Property string
	Hits, Of int
}

// PerThousand returns the rate for 1,000 runs.
func (h Hit) PerThousand() int { return int(math.Round(1000 * float64(h.Hits) / float64(h.Of))) }

// source is a matrix with the counts of many runs, if there are any.
type source struct {
	*matrix.Matrix
	alone []Alone
	// by row and column
	cells  map[[2]string]*matrix.Cell
	counts map[[2]string][]Count
}

// newSource returns the source of a matrix.
func newSource(m *matrix.Matrix, counts []Often, alone []Alone) source {
	s := source{m, alone, make(map[[2]string]*matrix.Cell, len(m.Cells)), map[[2]string][]Count{}}
	for i, c := range m.Cells {
		s.cells[[2]string{c.Row, c.Column}] = &m.Cells[i]
	}
	for _, o := range counts {
		for _, h := range slices.Concat(o.Found, o.Clean) {
			of := [2]string{h.Row, h.Column}
			s.counts[of] = append(s.counts[of], h)
		}
	}
	return s
}

// Cell returns a cell by its names, or nil.
func (s source) Cell(row, column string) *matrix.Cell { return s.cells[[2]string{row, column}] }

// aloneOf returns the cost of a row's lock for a client without competition, or 0.
func (s source) aloneOf(r matrix.Row) history.Duration {
	for _, a := range s.alone {
		if a.Row == r.Name && a.Library == (r.Adapter != "") {
			return a.Acquire
		}
	}
	return 0
}

// drawn returns the counts of a lock and a fault with the default schedules of a search.
func (r *Record) drawn(row, fault string) (all []Hit) {
	for _, d := range r.Drawn {
		if d.Row == row && d.Fault == fault {
			all = append(all, d.Hit)
		}
	}
	return all
}

// sources returns the locks of lockbench and the released libraries.
var sources = sync.OnceValues(func() ([]source, error) {
	r, err := Recorded()
	if err != nil {
		return nil, err
	}
	return []source{newSource(r.Own, r.Often, r.Alone), newSource(r.Libraries, nil, r.Alone)}, nil
})

// chosen caches the choices under single faults by column, because the pages of a matrix need each
// of them often.
var chosen sync.Map

// choicesUnder returns the result of Choose for faults, which commas separate. The caller may keep
// and change the slice.
func choicesUnder(columns string, fenced bool) ([]Choice, error) {
	q := Query{Faults: strings.Split(columns, ","), Fencing: fenced}
	once, _ := chosen.LoadOrStore(q.Command(), sync.OnceValues(func() ([]Choice, error) {
		return Choose(q)
	}))
	all, err := once.(func() ([]Choice, error))()
	return slices.Clone(all), err
}

// Lookup returns the measurements of the lock and the fault of a plan. It returns nil if there are
// none.
func Lookup(p harness.Plan) (*Known, error) {
	record, err := Recorded()
	r, ok := matrix.RowFor(p)
	if err != nil || !ok {
		return nil, err
	}
	s := newSource(record.Own, record.Often, nil)
	if r.Adapter != "" {
		s = newSource(record.Libraries, nil, nil)
	}
	for _, c := range matrix.ColumnsOf(p.Nemesis) {
		cell := s.Cell(r.Name, c.Name)
		if c.Name == "none" || cell == nil || cell.Impossible != "" || len(cell.Runs) == 0 {
			continue
		}
		k := &Known{Lock: r.Name, Fault: c.Name, Line: c.Line,
			TTL:    history.Duration(matrix.LeaseOf(r, c.Fault(), s.TTL.D())),
			Server: serverOf(r, s.Versions), Rates: s.rates(cell)}
		if len((Query{}).counts(cell.Found())) == 0 {
			k.Clean, k.Untold = s.runs(cell), (Query{}).counts(cell.Unknown())
		}
		all, err := choicesUnder(c.Name, false)
		if err != nil {
			return nil, err
		}
		// a search also draws the direction of a clock's step
		fault := nemesis.Base(c.Fault())
		k.Drawn = record.drawn(r.Name, fault)
		if len(k.Drawn) > 0 {
			k.Search = command("explore", r, fault) +
				fmt.Sprintf(" --moments drawn --keep-going --seeds %d", k.Drawn[0].Of)
		}
		k.Asked, k.Helps = len(all), helps(r.Name, p)
		for _, o := range all {
			k.Remain += batch.Truth(o.Remains)
			if o.Remains && len(o.Defects) == 0 && o.quality.level != holdless && o.Lock != r.Name {
				k.Others = append(k.Others, o)
			}
		}
		return k, nil
	}
	return nil, nil
}

// serverOf names the servers on which a lock was measured.
func serverOf(r matrix.Row, versions map[string]string) string {
	if system := r.System(); system != nemesis.Redis {
		return strings.TrimSpace(system + " " + versions[system])
	}
	return strings.TrimSpace("Redis " + versions["redis"])
}

// rates returns the violated properties of a cell. It groups properties with the same counts.
func (s source) rates(c *matrix.Cell) (out []Rate) {
	add := func(property, nemesis string, hits, of int) {
		for i := range out {
			if r := &out[i]; r.Nemesis == nemesis && r.Hits == hits && r.Of == of {
				r.Properties = append(r.Properties, property)
				return
			}
		}
		out = append(out, Rate{[]string{property}, nemesis, hits, of})
	}
	for _, h := range s.counts[[2]string{c.Row, c.Column}] {
		if h.Hits > 0 {
			add(h.Property, h.Nemesis, h.Hits, h.Of)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, property := range batch.Properties {
		hits, of := map[string]int{}, map[string]int{}
		for _, r := range c.Runs {
			if !r.Control && !r.Unfit() {
				of[r.Nemesis]++
				hits[r.Nemesis] += batch.Truth(r.Properties[property] == checker.Violated)
			}
		}
		best := ""
		for _, a := range c.Runs {
			if n := a.Nemesis; hits[n] > 0 && (best == "" || hits[n]*of[best] > hits[best]*of[n]) {
				best = n
			}
		}
		if best != "" {
			add(property, best, hits[best], of[best])
		}
	}
	return out
}

// runs counts the judged runs of a cell.
func (s source) runs(c *matrix.Cell) (n int) {
	for _, h := range s.counts[[2]string{c.Row, c.Column}] { // some: of properties only reported
		n = max(n, h.Of)
	}
	if n > 0 {
		return n
	}
	for _, r := range c.Runs {
		n += batch.Truth(!r.Control && !r.Unfit())
	}
	return n
}
