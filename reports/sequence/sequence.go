// Package sequence tells a violation step by step, as a list and as a sequence diagram.
package sequence

import (
	_ "embed"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

//go:embed diagram.svg.tmpl
var diagramSVG string

var diagramTemplate = template.Must(template.New("diagram").Parse(diagramSVG))

// The measures of the diagram, in pixels. Those within a row are in the template. The page's style
// has those across: lifelines stand at shares of the width, so that a narrow window has them all.
const (
	headHeight = 44
	rowHeight  = 25
	gapHeight  = 20 // of a row that says how long nothing happened, or that names the overlap
)

// diagram says where everything stands: down in pixels, across in percent. Fields that the template
// reads are exported.
type diagram struct {
	N         int // of the diagram on its page: the ids in it are its own
	Height    float64
	Lifelines []lifeline
	Both      *bar // rows in which two clients are inside
	Label     string
	Inside    []bar // on the lifelines of the clients of the violation, while each is inside
	Rows      []row
}

// lifeline is the column of a client or of a node.
type lifeline struct {
	Name, Role, Class string
	X                 float64
}

// bar goes down from Y.
type bar struct{ X, Y, Height float64 }

// row is a step at its place.
type row struct {
	Step
	Y             float64
	Silence       string // how long nothing happened before
	Banner, Arrow bool   // across the diagram; between two lifelines. Else a note at one of them
	X             float64
	Length        float64 // of the arrow
	Left          bool    // of its client: the arrow, or the note
	Middle        bool    // the note stands on the lifeline
}

// Draw returns the diagram as inline SVG; n is its number on the page.
func Draw(ss []Step, w *view.Violation, n int) (template.HTML, error) {
	d := &diagram{N: n, Label: w.Label()}
	d.columns(ss, w)
	d.place(ss)
	d.overlap()
	for _, h := range slices.Concat(w.Before, w.Holds) {
		if h.N > 0 {
			d.activation(h.Process, h.From, h.To)
		}
	}
	var b strings.Builder
	err := diagramTemplate.Execute(&b, d)
	return template.HTML(b.String()), err
}

// columns gives each client and each node a lifeline. The first holder, and one that was killed
// before, are left of the nodes and the others are right of them, so that few arrows cross a
// lifeline.
func (d *diagram) columns(ss []Step, w *view.Violation) {
	var clients, nodes []string
	add := func(names *[]string, name string) {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for _, h := range slices.Concat(w.Before, w.Holds) {
		add(&clients, view.Who(h.Process))
	}
	roles := map[string]string{}
	for _, s := range ss {
		if s.Process >= 0 {
			add(&clients, view.Who(s.Process))
			roles[view.Who(s.Process)] = s.Role
		}
		if s.Node != "" {
			add(&nodes, s.Node)
		}
	}
	slices.SortFunc(nodes, view.CompareNames)
	first := min(1+len(w.Before), len(clients))
	names := slices.Concat(clients[:first], nodes, clients[first:])
	for i, name := range names {
		l := lifeline{name, roles[name], "client", percent(i, len(names))}
		if slices.Contains(nodes, name) {
			l.Class = "node"
		}
		d.Lifelines = append(d.Lifelines, l)
	}
}

// percent returns the middle of the column i of n in a hundred, to two digits.
func percent(i, n int) float64 { return math.Round(1e4*(float64(i)+0.5)/float64(n)) / 100 }

func (d *diagram) x(name string) float64 {
	for _, l := range d.Lifelines {
		if l.Name == name {
			return l.X
		}
	}
	return 0
}

// place gives each step its row. Before it is another one if nothing happened for long, and one for
// the name of the overlap.
func (d *diagram) place(ss []Step) {
	y, long := float64(headHeight+20), max((ss[len(ss)-1].T-ss[0].T)/12, 2e6)
	for i, s := range ss {
		silence := ""
		if i > 0 && s.T-ss[i-1].T > long {
			silence, y = units.Span(s.T-ss[i-1].T), y+gapHeight
		}
		if s.During && (i == 0 || !ss[i-1].During) {
			y += gapHeight
		}
		r := d.row(s)
		r.Y, r.Silence = y, silence
		d.Rows = append(d.Rows, r)
		y += rowHeight
	}
	d.Height = y + 8
}

// row draws a step. A note is next to its client's lifeline, where there is room.
func (d *diagram) row(s Step) row {
	own, node := d.x(view.Who(s.Process)), d.x(s.Node)
	r := row{Step: s, X: own}
	switch {
	case s.Kind == stepFault:
		r.Banner = true
	case s.Kind == stepItself:
		r.X, r.Middle = node, node > 0 // or at the edge: the end of a lease, as its client counts
	case s.Node != "":
		r.Arrow, r.Left, r.Length = true, node < own, math.Abs(node-own)
	default:
		r.Left = len(d.Lifelines) > 1 && own == d.Lifelines[len(d.Lifelines)-1].X
	}
	return r
}

// Class returns the style of an arrow.
func (r row) Class() string {
	if r.Failed {
		return r.Kind + " bad"
	}
	return r.Kind
}

// Back reports whether the arrow goes from the node to the client.
func (r row) Back() bool { return r.Kind == stepReply }

// overlap marks the rows in which two clients are inside.
func (d *diagram) overlap() {
	for _, r := range d.Rows {
		if !r.During {
			continue
		}
		if d.Both == nil {
			d.Both = &bar{Y: r.Y - 8 - gapHeight}
		}
		d.Both.Height = r.Y + 8 - d.Both.Y
	}
}

// activation returns the bar of a hold. If the hold began before the first row, the bar begins
// above it. If it ends after the last row, the bar goes on to the foot.
func (d *diagram) activation(process int, from, to int64) {
	b := bar{X: d.x(view.Who(process)), Y: headHeight}
	end := d.Foot()
	for _, r := range d.Rows {
		switch {
		case r.Process != process:
		case r.Kind == stepInside && r.T == from:
			b.Y = r.Y
		case r.Kind == stepLeaves && r.T == to:
			end = r.Y
		}
	}
	b.Height = max(3, end-b.Y)
	d.Inside = append(d.Inside, b)
}

// Foot returns the lower end of the lifelines.
func (d *diagram) Foot() float64 { return d.Height - 4 }
