package study

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Claim is a sentence of a document, with the cells of the matrix that confirm or refute it.
type Claim struct {
	Text     string // the sentence in our words, or translated
	Quote    string // the document's own words
	Document string
	Row      string
	Columns  []string // the faults of the test; if there are several, each of them
	Breaks   string   // if the claim is true, these properties are violated under at least one fault
	Keeps    string   // if the claim is true, these properties are never violated
	Slower   string   // instead of properties: this row costs more than the row Than, measured by Cost
	Than     string
	// the measure: "acquire" (p50 of contended acquires) or "commands" (per grant)
	Cost   string
	Test   string  // instead of cells: the test that checks it
	Result Outcome // the outcome of Test and Trials, or NotTested
	Needs  string  // the reason why it cannot be tested
	Tested string  // how it was tested, if the command alone does not show that this was fair
	Trials []Trial // counts that are not from the matrix
	// The condition that makes it true. The confirmed or refuted claim holds only under it.
	Condition string
	Note      string
}

// Trial is how often runs of one command showed something.
type Trial struct {
	Command  string
	What     string
	Hits, Of int
}

// Outcome is the outcome of a claim.
type Outcome string

// The outcomes.
const (
	Confirmed Outcome = "confirmed"
	Refuted   Outcome = "refuted"
	Depends   Outcome = "depends on"
	Unclear   Outcome = "not certain"
	NotTested Outcome = "not tested yet"
)

//go:embed claims.yaml
var claimsYAML string

// claims holds the statements of the documents about these locks.
var claims = batch.Table[[]Claim]("claims.yaml", claimsYAML)

// Claims returns the claims of the documents. The caller may keep and change the slice.
func Claims() []Claim { return slices.Clone(claims()) }

// Judge returns the outcome of a claim according to the matrix, and the deciding cells.
func Judge(m *matrix.Matrix, c Claim) (Outcome, []*matrix.Cell) {
	o, cells := judge(m, c)
	if c.Condition != "" && (o == Confirmed || o == Refuted) {
		o = Depends
	}
	return o, cells
}

func judge(m *matrix.Matrix, c Claim) (Outcome, []*matrix.Cell) {
	switch {
	case c.Result != "":
		return c.Result, nil
	case c.Slower != "":
		return compareCosts(m, c), nil
	}
	var broken, unsure []*matrix.Cell
	for _, col := range c.Columns {
		cell := m.Cell(c.Row, col)
		if cell == nil {
			return NotTested, nil
		}
		for _, l := range strings.Split(c.Breaks+c.Keeps, "") {
			switch cell.Property(l).Found {
			case checker.Violated:
				broken = append(broken, cell)
			case checker.Unknown, "":
				unsure = append(unsure, cell)
			}
		}
	}
	switch {
	case len(broken) > 0 && c.Breaks != "":
		return Confirmed, broken
	case len(broken) > 0:
		return Refuted, broken
	case len(unsure) > 0:
		return Unclear, unsure
	case c.Breaks != "":
		return Refuted, nil
	}
	return Confirmed, nil
}

// compareCosts judges whether one lock costs more than another.
func compareCosts(m *matrix.Matrix, c Claim) Outcome {
	a, b := m.CostOf(c.Slower), m.CostOf(c.Than)
	if a == nil || b == nil {
		return NotTested
	}
	x, y := a.Commands, b.Commands
	if c.Cost == "acquire" {
		x, y = float64(a.AcquireP50), float64(b.AcquireP50)
	}
	if x > y {
		return Confirmed
	}
	return Refuted
}

// costsOf formats the compared costs.
func costsOf(m *matrix.Matrix, c Claim) string {
	a, b := m.CostOf(c.Slower), m.CostOf(c.Than)
	switch {
	case c.Slower == "" || a == nil || b == nil:
		return ""
	case c.Cost == "acquire":
		return fmt.Sprintf("Median of a contended acquire: %s %s, %s %s.", c.Slower, spell(a.AcquireP50),
			c.Than, spell(b.AcquireP50))
	}
	return fmt.Sprintf("Commands of all clients for each grant: %s %.1f, %s %.1f.", c.Slower,
		a.Commands, c.Than, b.Commands)
}

// Command returns the command or test that checks a claim.
func (c Claim) Command() string {
	switch {
	case c.Test != "":
		return c.Test
	case c.Slower != "":
		return "lockbench matrix --impl " + quoted(c.Slower+","+c.Than) + " --nemesis none"
	case len(c.Columns) == 0:
		return ""
	}
	return "lockbench matrix --impl " + quoted(c.Row) + " --nemesis " + strings.Join(c.Columns, ",")
}

// quoted quotes a word for a shell.
func quoted(word string) string {
	if strings.Contains(word, " ") {
		return "'" + word + "'"
	}
	return word
}
