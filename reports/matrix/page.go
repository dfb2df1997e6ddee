// Package matrix writes the page of a matrix: which lock survives which fault, what each lock needs
// and costs, and what the documents claim.
package matrix

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/page"
)

var (
	//go:embed page.html.tmpl
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	pageTemplate = template.Must(template.New("matrix").Funcs(template.FuncMap{
		"clean": page.Clean,
		"line":  func(s string) string { return strings.Join(strings.Fields(s), " ") },
	}).Parse(pageHTML))
)

// serious are the letters that make a lock unsafe to use; R, A and N are reported.
const serious = "SLODFUEV"

// matrixPage is the input of the template: a matrix, and what else the page shows.
type matrixPage struct {
	*matrix.Matrix
	Link        page.Link
	Answer      string
	Meta        string
	Rows        []matrixRow
	Needs       []needRow
	NeedColumns []string
	Costs       []costRow
	CostsMeta   string
	CostFigures []figure.Shown
	Facts       [][2]string
	// the heads and notes of the table of locks to use
	ChooseHeads              []string
	ChooseNote, EvidenceNote string
	Data                     template.JS
	CSS                      template.CSS
	JS                       template.JS
	CSP                      string
	Above                    []page.Place
}

// matrixRow is a lock with its cells.
type matrixRow struct {
	Name, Why string
	Cells     []matrixCell
}

// matrixCell is a lock under a fault. Kind is bad, minor, safe, unknown or none.
type matrixCell struct {
	Row, Column int
	Kind, Title string
	Letters     []matrixLetter
	Missing     []string
	Text        string // instead of letters
	Link        string // of the whole cell
}

// matrixLetter is a violated property, linked to the report of the run that shows it.
type matrixLetter struct {
	Letter, Link string
	More         bool // not expected
}

// Write writes a matrix as one self-contained page. Linked returns a relative link from the page to
// the report of a run directory (relative to the matrix), or "" if there is none.
func Write(w io.Writer, m *matrix.Matrix, linked page.Link) error {
	body, _, err := Page(m, linked)
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// Page is Write with links to the parent pages. It also returns the content security policy of the
// page, for a server that sends it.
func Page(m *matrix.Matrix, linked page.Link, above ...page.Place) (body []byte, policy string,
	err error) {
	p := &matrixPage{Matrix: m, Link: linked, Answer: survivors(m), Above: above,
		CSS: template.CSS(page.CSS + pageCSS), JS: template.JS(pageJS), CSP: page.PolicyFor(pageJS)}
	data := newMatrixData(m)
	for i, r := range m.Rows {
		p.Rows = append(p.Rows, newMatrixRow(m, i, r, linked, data))
	}
	p.NeedColumns, p.Needs = needHeads(m), needRows(m)
	p.addFacts(m)
	if err := p.costs(m); err != nil {
		return nil, "", err
	}
	p.ChooseHeads, p.EvidenceNote = choose.Heads[:], choose.EvidenceNote
	p.ChooseNote = data.choices(m, linked)
	b, err := json.Marshal(data)
	if err != nil {
		return nil, "", err
	}
	p.Data = template.JS(b)
	var out bytes.Buffer
	err = pageTemplate.Execute(&out, p)
	return out.Bytes(), p.CSP, err
}

func newMatrixRow(m *matrix.Matrix, at int, r matrix.Row, linked page.Link,
	data *matrixData) matrixRow {
	row := matrixRow{Name: page.Clean(r.Name, 60), Why: page.Clean(matrix.Why(r.Name), 300)}
	for j, c := range m.Columns {
		cell := cmp.Or(m.Cell(r.Name, c.Name), &matrix.Cell{Row: r.Name, Column: c.Name})
		row.Cells = append(row.Cells, newMatrixCell(cell, at, j, linked))
		data.add(cell, at, j, linked)
	}
	return row
}

func newMatrixCell(c *matrix.Cell, row, column int, linked page.Link) matrixCell {
	x := matrixCell{Row: row, Column: column, Kind: kindOf(c), Title: page.Clean(c.Title(), 700),
		Missing: c.Missing(), Link: linked(c.Dir())}
	for _, l := range c.Found() {
		x.Letters = append(x.Letters, matrixLetter{l, linked(c.Property(l).Dir), slices.Contains(c.More(),
			l)})
	}
	unknown := c.Unknown()
	switch {
	case c.Impossible != "" || c.Elsewhere:
		x.Text, x.Link = c.String(), ""
	case len(x.Letters) == 0 && len(unknown) == 0:
		x.Text = "–"
	case c.Untold():
		x.Text = "?"
	case len(unknown) > 0:
		x.Text = strings.Join(unknown, "") + "?"
	}
	return x
}

func kindOf(c *matrix.Cell) string {
	found := strings.Join(c.Found(), "")
	switch {
	case c.Impossible != "" || c.Elsewhere:
		return "none"
	case strings.ContainsAny(found, serious):
		return "bad"
	case len(c.Unknown()) > 0:
		return "unknown"
	case found != "":
		return "minor"
	}
	return "safe"
}

// survivors answers the question of the page in a sentence. Locks are not run under the same
// faults, and no fault weighs as much as another: so nothing is counted, and only a lock that no
// fault broke is named.
func survivors(m *matrix.Matrix) string {
	run, whole := 0, []string(nil)
	for _, r := range m.Rows {
		judged, broken := standingOf(m, r.Name)
		run += judged
		if judged > 0 && !broken {
			whole = append(whole, fmt.Sprintf("%s (%s)", page.Clean(r.Name, 40),
				units.Count(judged, "fault")))
		}
	}
	const few = 4
	if len(whole) > few {
		whole = append(whole[:few-1:few-1], units.Count(len(whole)-few+1, "other lock"))
	}
	switch {
	case run == 0:
		return "Nothing has been run that would tell one lock from another."
	case len(whole) > 0:
		return "No promise was found broken, whatever was run, of " + units.List(whole) + "."
	}
	return "No lock kept its promises under every fault: which one is safe depends on the faults " +
		"that can happen to you."
}

// standingOf returns the number of faults under which a lock was judged, and whether one broke a
// promise of it. A lock that fails without any fault fails under each.
func standingOf(m *matrix.Matrix, row string) (judged int, broken bool) {
	broken = kindOf(cellOf(m, row, "none")) == "bad"
	for _, c := range m.Columns {
		kind := kindOf(cellOf(m, row, c.Name))
		if c.Name != "none" && kind != "none" && kind != "unknown" {
			judged++
			broken = broken || kind == "bad"
		}
	}
	return judged, broken
}

func cellOf(m *matrix.Matrix, row, column string) *matrix.Cell {
	return cmp.Or(m.Cell(row, column), &matrix.Cell{Row: row, Column: column, Elsewhere: true})
}

func (p *matrixPage) addFacts(m *matrix.Matrix) {
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, [2]string{name, page.Clean(value, 200)})
		}
	}
	add("environment", m.Environment)
	for _, k := range slices.Sorted(maps.Keys(m.Versions)) {
		add(page.Clean(k, 40), m.Versions[k])
	}
	add("machine", m.Machine)
	add("lease", m.TTL.String()+", of the locks that do not fix their own")
	add("runs of each scenario", fmt.Sprint(m.Repeat))
	add("seed", fmt.Sprint(m.Seed))
	add("shard", m.Shard.String())
	if m.Took > 0 {
		add("took", units.Span(m.Took))
	}
	p.Meta = fmt.Sprintf("%s × %s · environment %s", units.Count(len(m.Rows), "lock"),
		units.Count(len(m.Columns), "fault"), page.Clean(m.Environment, 40))
	if v := m.Versions["redis"]; v != "" {
		p.Meta += " · Redis " + page.Clean(v, 40)
	}
	p.Meta += " · lease " + units.Span(m.TTL)
}

// WitnessDirs returns the run directories of a matrix that a reader may want to see, without
// duplicates: for each violated letter the run that shows it, and for each other cell the run that
// shows most.
func WitnessDirs(m *matrix.Matrix) (dirs []string) {
	seen := map[string]bool{"": true}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Impossible != "" {
			continue
		}
		for _, l := range c.Found() {
			add(c.Property(l).Dir)
		}
		add(c.Dir())
	}
	return dirs
}
