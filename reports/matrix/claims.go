package matrix

import (
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/lab/study"
	"github.com/lockbench/lockbench/reports/page"
)

// claimRow is what a document says, and what came of it.
type claimRow struct {
	Text, Document, Outcome, State, Symbol, Note, Story, Command string
	Cells                                                        []claimCell
}

// claimCell is a cell that decided a claim.
type claimCell struct{ Name, Link string }

// outcomeCount is how many claims had an outcome.
type outcomeCount struct {
	Outcome, State string
	N              int
}

// outcomes are in the order in which a reader wants them.
var claimOutcomes = []study.Outcome{study.Refuted, study.Depends, study.Confirmed, study.Unclear,
	study.NotTested}

var claimStates = map[study.Outcome][2]string{
	study.Confirmed: {"valid", "✓"}, study.Refuted: {"violated", "✕"},
	study.Depends: {"unknown", "±"}, study.Unclear: {"unknown", "?"}, study.NotTested: {"na", "–"},
}

// claimRows judges the documents' claims by the cells of the matrix, refuted ones first.
func claimRows(m *matrix.Matrix, linked page.Link) (rows []claimRow, counts []outcomeCount) {
	by := map[study.Outcome][]claimRow{}
	for _, c := range study.Claims() {
		outcome, cells := study.Judge(m, c)
		by[outcome] = append(by[outcome], newClaimRow(c, outcome, cells, linked))
	}
	for _, o := range claimOutcomes {
		if n := len(by[o]); n > 0 {
			counts = append(counts, outcomeCount{string(o), claimStates[o][0], n})
			rows = append(rows, by[o]...)
		}
	}
	return rows, counts
}

func newClaimRow(c study.Claim, o study.Outcome, cells []*matrix.Cell,
	linked page.Link) claimRow {
	row := claimRow{Text: page.Clean(c.Text, 400), Document: page.Clean(c.Document, 80),
		Outcome: string(o),
		State:   claimStates[o][0], Symbol: claimStates[o][1], Command: page.Clean(c.Command(), 200)}
	if c.Note != "" {
		row.Note = units.Sentence(page.Clean(c.Note, 400))
	}
	if c.Condition != "" {
		row.Note = strings.TrimSpace("Depends on: " +
			units.Sentence(page.Clean(c.Condition, 400)) + " " + row.Note)
	}
	if c.Needs != "" {
		row.Note = strings.TrimSpace(row.Note + " Needs " + units.Sentence(page.Clean(c.Needs, 300)))
	}
	letters := c.Breaks + c.Keeps
	for _, cell := range cells {
		name := page.Clean(cell.Row+", "+cell.Column, 80)
		if n := len(row.Cells); n > 0 && row.Cells[n-1].Name == name {
			continue
		}
		row.Cells = append(row.Cells, claimCell{name, linked(dirFor(cell, letters))})
		if row.Story == "" && o != study.Unclear {
			row.Story = claimStory(cell, letters)
		}
	}
	return row
}

// dirFor is the run that shows one of the letters, or the one that shows most of the cell.
func dirFor(c *matrix.Cell, letters string) string {
	for _, l := range c.Found() {
		if strings.Contains(letters, l) {
			return c.Property(l).Dir
		}
	}
	return c.Dir()
}

func claimStory(c *matrix.Cell, letters string) string {
	for _, l := range c.Found() {
		if strings.Contains(letters, l) {
			return page.Clean(strings.Join(strings.Fields(explained(c, c.Property(l))), " "), 320)
		}
	}
	return ""
}
