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

// Claim is a sentence of a document, and the cells of the matrix that confirm or refute it.
type Claim struct {
	Text     string // in our words, or translated
	Quote    string // in the document's own
	Document string
	Row      string
	Columns  []string // the faults under which it is tested; more than one: under each of them
	Breaks   string   // properties that are violated, if it is true, under at least one of them
	Keeps    string   // properties that are never violated, if it is true
	Slower   string   // instead of properties: this row costs more than the row Than, as Cost says
	Than     string
	// what is compared: "acquire" (p50 of contended acquires) or "commands" (for each grant)
	Cost   string
	Test   string  // instead of cells: the test that pins it, and its outcome
	Result Outcome // of Test and Trials, or NotTested
	Needs  string  // what is missing to test it
	Tested string  // how, where the command alone does not say that it was fair
	Trials []Trial // what was counted beside the matrix
	// when it is true, and when it is not: what was confirmed or refuted is so under this condition
	Condition string
	Note      string
}

// Trial is how often something was seen in runs of one command.
type Trial struct {
	Command  string
	What     string
	Hits, Of int
}

// Outcome is what became of a claim.
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

// claims is what the documents say of these locks.
var claims = batch.Table[[]Claim]("claims.yaml", claimsYAML)

// Claims returns what the documents say. The caller may keep and change the slice.
func Claims() []Claim { return slices.Clone(claims()) }

// Judge says what the matrix makes of a claim, and which cells decided.
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

// compareCosts says whether one lock costs more than another.
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

// costsOf tells what was compared.
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

// Command is what tests a claim by itself.
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

// quoted is a word for a shell.
func quoted(word string) string {
	if strings.Contains(word, " ") {
		return "'" + word + "'"
	}
	return word
}
