package study

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/records"
)

// Soak sums up a matrix with many runs of each scenario: how often each violation was found,
// whether safe cells stayed clean, and whether the controls found only violations that need no
// fault. It is stored in soak.json.
type Soak struct {
	Format      int               `json:"format"`
	Environment string            `json:"environment"`
	Versions    map[string]string `json:"versions,omitempty"`
	TTL         history.Duration  `json:"ttl"`
	Seed        uint64            `json:"seed"`
	Wanted      int               `json:"wanted"` // requested runs of each scenario
	Runs        int               `json:"runs"`   // total number of runs
	Took        history.Duration  `json:"took,omitempty"`
	Found       []HitRate         `json:"found"` // violations in at least one run
	// cells without any violation; their Property is empty
	Clean []HitRate `json:"clean"`
	// runs of controls; Hits counts those with a violation that needs a fault
	Controls []HitRate `json:"controls"`
	Lost     []Loss    `json:"lost,omitempty"`
	// notes about these runs for readers
	Note string `json:"note,omitempty"`
}

// HitRate is how often something was found.
type HitRate struct {
	Row      string `json:"row"`
	Column   string `json:"column"`
	Property string `json:"property,omitempty"`
	Nemesis  string `json:"nemesis,omitempty"` // the scenario that finds it most often
	Expected bool   `json:"expected,omitempty"`
	// the explanation of an unexpected or missing violation, if there is one
	Why    string `json:"why,omitempty"`
	Chance string `json:"chance,omitempty"` // why it is not found each time
	Hits   int    `json:"hits"`
	Of     int    `json:"of"` // number of judged runs
}

// Loss counts the runs of one scenario that could not be judged.
type Loss struct {
	Row     string `json:"row"`
	Nemesis string `json:"nemesis"`
	Runs    int    `json:"runs"`
	Reason  string `json:"reason"`
}

// CountSoak counts the violations in the runs of a matrix.
func CountSoak(m *matrix.Matrix) *Soak {
	s := &Soak{Format: batch.Format, Environment: m.Environment, Versions: m.Versions, TTL: m.TTL,
		Seed:   m.Seed,
		Wanted: m.Repeat, Took: m.Took}
	for i := range m.Cells {
		c := &m.Cells[i]
		s.Runs += len(c.Runs)
		if c.Impossible != "" || len(c.Runs) == 0 {
			continue
		}
		s.lose(c)
		free := m.Cell(c.Row, matrix.Columns()[0].Name)
		if free == nil {
			free = &matrix.Cell{}
		}
		s.tally(c, free)
		s.control(c, free)
	}
	return s
}

// judged returns the fit runs of a cell, either its controls or its other runs.
func judged(c *matrix.Cell, control bool) (out []matrix.Result) {
	for _, r := range c.Runs {
		if r.Control == control && !r.Unfit() {
			out = append(out, r)
		}
	}
	return out
}

// tally counts each violation of a cell by the scenario that finds it most often. A violation that
// needs no fault is counted only in the column without a fault.
func (s *Soak) tally(c, free *matrix.Cell) {
	runs := judged(c, false)
	any := false
	for _, letter := range batch.Properties {
		expected := slices.Contains(c.Expected, letter)
		t := HitRate{Row: c.Row, Column: c.Column, Property: letter, Expected: expected}
		t.Nemesis, t.Hits, t.Of = best(runs, letter)
		inherited := c != free && free.Property(letter).Found == checker.Violated
		any = any || t.Hits > 0
		if inherited || t.Hits == 0 && !expected {
			continue
		}
		if expected != (t.Hits > 0) {
			t.Why = matrix.Explain(matrix.Difference{Row: c.Row, Column: c.Column, Property: letter,
				Expected: expected})
		}
		if !t.isCertain() {
			t.Chance = chance(c.Row, c.Column, letter)
		}
		s.Found = append(s.Found, t)
	}
	if !any && len(runs) > 0 {
		s.Clean = append(s.Clean, HitRate{Row: c.Row, Column: c.Column, Hits: 0, Of: len(runs)})
	}
}

// best returns the scenario that finds a violation most often.
func best(runs []matrix.Result, letter string) (nemesis string, hits, of int) {
	counts, all := map[string]int{}, map[string]int{}
	var order []string
	for _, r := range runs {
		if all[r.Nemesis] == 0 {
			order = append(order, r.Nemesis)
		}
		all[r.Nemesis]++
		if r.Properties[letter] == checker.Violated {
			counts[r.Nemesis]++
		}
	}
	for _, n := range order {
		if of == 0 || counts[n]*of > hits*all[n] {
			nemesis, hits, of = n, counts[n], all[n]
		}
	}
	return nemesis, hits, of
}

// control counts the runs of controls with a violation that was never found without any fault.
func (s *Soak) control(c, free *matrix.Cell) {
	runs := judged(c, true)
	if len(runs) == 0 {
		return
	}
	t := HitRate{Row: c.Row, Column: c.Column, Nemesis: runs[0].Nemesis, Of: len(runs)}
	for _, r := range runs {
		if slices.ContainsFunc(r.Violated(), func(l string) bool {
			return !needsNoFault(free, c.Row, l)
		}) {
			t.Hits++
		}
	}
	s.Controls = append(s.Controls, t)
}

// needsNoFault reports whether a violation happens without any fault, or is known to happen there
// by chance.
func needsNoFault(free *matrix.Cell, row, letter string) bool {
	none := matrix.Columns()[0].Name
	return free.Property(letter).Found == checker.Violated ||
		matrix.Explain(matrix.Difference{Row: row, Column: none, Property: letter}) != "" ||
		chance(row, none, letter) != ""
}

func (s *Soak) lose(c *matrix.Cell) {
	lost := map[string]*Loss{}
	for _, r := range c.Runs {
		if !r.Unfit() {
			continue
		}
		if lost[r.Nemesis] == nil {
			lost[r.Nemesis] = &Loss{Row: r.Row, Nemesis: r.Nemesis, Reason: cmp.Or(r.HarnessError,
				"the machine stalled")}
		}
		lost[r.Nemesis].Runs++
	}
	for _, r := range c.Runs {
		if l := lost[r.Nemesis]; l != nil {
			s.Lost = append(s.Lost, *l)
			delete(lost, r.Nemesis)
		}
	}
}

// isCertain reports whether a violation was found each time.
func (t HitRate) isCertain() bool { return t.Hits == t.Of && t.Of > 0 }

// Contradictions lists violations that were not found each time although they were expected or
// explained, violations that were neither, and controls that found something.
func (s *Soak) Contradictions() (out []string) {
	for _, t := range s.Found {
		switch {
		case t.Hits == 0 && t.Why != "", t.Chance != "":
		case t.Hits == 0:
			out = append(out, fmt.Sprintf("%s, %s: %s is expected and was found in none of %d runs", t.Row,
				t.Column, t.Property, t.Of))
		case !t.Expected && t.Why == "" && known(t):
			out = append(out, fmt.Sprintf("%s, %s: %s is not expected and was found in %d of %d runs of %s",
				t.Row, t.Column, t.Property, t.Hits, t.Of, t.Nemesis))
		case !t.isCertain() && (t.Expected || t.Why == ""):
			out = append(out, fmt.Sprintf("%s, %s: %s was found in %d of %d runs of %s", t.Row, t.Column,
				t.Property, t.Hits, t.Of, t.Nemesis))
		}
	}
	for _, t := range s.Controls {
		if t.Hits > 0 {
			out = append(out, fmt.Sprintf("%s, %s: the control %s found something in %d of %d runs", t.Row,
				t.Column, t.Nemesis, t.Hits, t.Of))
		}
	}
	return out
}

// known reports whether there is an expectation for the cell.
func known(t HitRate) bool {
	_, known := matrix.Expected(t.Row, t.Column)
	return known
}

// Write writes soak.json.
func (s *Soak) Write(w io.Writer) error {
	return history.WriteDocument(w, s)
}

// SoakRuns is how often each scenario runs. A violation must be found in each of the runs, and a
// safe cell must stay clean in all.
const SoakRuns = 20

// Save writes soak.json to the directory of a matrix. It also writes the record to docs, unless
// docs is "".
func (s *Soak) Save(dir, docs string) error {
	err := store.Write(dir, "soak.json", func(w *os.File) error { return s.Write(w) })
	if docs != "" {
		err = errors.Join(err, records.Write(docs, SoakFile(s.Environment), s.Write))
	}
	return err
}

// ReadSoak reads the output of Write.
func ReadSoak(r io.Reader) (*Soak, error) {
	return batch.ReadDocument[Soak](r, "soak.json")
}
