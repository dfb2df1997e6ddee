// Package sequence tells a violation step by step, as a list and as a sequence diagram.
package sequence

import (
	_ "embed"
	"html/template"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

//go:embed diagram.svg.tmpl
var diagramSVG string

var diagramTemplate = template.Must(template.New("diagram").Parse(diagramSVG))

// The measures of the diagram, in pixels. Those within a row are in the template.
const (
	timeColumn  = 88  // for the stamps
	labelColumn = 150 // for the name of the overlap
	widest      = 1056
	farApart    = 204 // two lifelines, if there is room
	nearby      = 116 // at least
	headHeight  = 44
	rowHeight   = 25
	gapHeight   = 20   // of a row that says how long nothing happened
	runeWidth   = 6.35 // of a label on an arrow
)

// diagram says where everything stands. Fields that the template reads are exported.
type diagram struct {
	N             int // of the diagram on its page: the ids in it are its own
	Width, Height float64
	Lifelines     []lifeline
	Both          *bar // rows in which two clients are inside
	Label         string
	Inside        []bar // on the lifelines of the clients of the violation, while each is inside
	Rows          []row

	apart float64 // two lifelines
}

// lifeline is the column of a client or of a node.
type lifeline struct {
	Name, Class string
	X           float64
}

// bar goes down from Y.
type bar struct{ X, Y, Height float64 }

// Middle returns the vertical position of the bar's label.
func (b *bar) Middle() float64 { return b.Y + b.Height/2 }

// row is a step at its place.
type row struct {
	Step
	Y             float64
	Silence       string // how long nothing happened before
	Banner, Arrow bool   // across the diagram; between two lifelines. Else a note at one of them
	From, To      float64
	X             float64 // of the label
	Anchor        string
	Label, Class  string
}

// Draw returns the diagram as inline SVG; n is its number on the page.
func Draw(ss []Step, w *view.Violation, n int) (template.HTML, error) {
	d := &diagram{N: n, Label: w.Label()}
	d.columns(ss, w)
	d.place(ss)
	d.overlap()
	for _, h := range w.Holds {
		if h.N > 0 {
			d.activation(h.Process, h.From, h.To)
		}
	}
	var b strings.Builder
	err := diagramTemplate.Execute(&b, d)
	return template.HTML(b.String()), err
}

// columns gives each client and each node a lifeline. The first holder is left of the nodes and the
// others are right of them, so that few arrows cross a lifeline.
func (d *diagram) columns(ss []Step, w *view.Violation) {
	var clients, nodes []string
	add := func(names *[]string, name string) {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for _, h := range w.Holds {
		add(&clients, view.Who(h.Process))
	}
	for _, s := range ss {
		if s.Process >= 0 {
			add(&clients, view.Who(s.Process))
		}
		if s.Node != "" {
			add(&nodes, s.Node)
		}
	}
	slices.SortFunc(nodes, view.CompareNames)
	first := min(1, len(clients))
	names := slices.Concat(clients[:first], nodes, clients[first:])
	room := float64(widest-timeColumn-labelColumn) / float64(max(1, len(names)))
	d.apart = min(farApart, max(nearby, room))
	for i, name := range names {
		l := lifeline{name, "client", timeColumn + d.apart*(float64(i)+0.5)}
		if slices.Contains(nodes, name) {
			l.Class = "node"
		}
		d.Lifelines = append(d.Lifelines, l)
	}
	d.Width = timeColumn + float64(max(2, len(names)))*d.apart + labelColumn
}

// x returns the horizontal position of a lifeline.
func (d *diagram) x(name string) float64 {
	for _, l := range d.Lifelines {
		if l.Name == name {
			return l.X
		}
	}
	return 0
}

// place gives each step its row. Before it is another one if nothing happened for long.
func (d *diagram) place(ss []Step) {
	y, long := float64(headHeight+20), max((ss[len(ss)-1].T-ss[0].T)/12, 2e6)
	for i, s := range ss {
		silence := ""
		if i > 0 && s.T-ss[i-1].T > long {
			silence, y = units.Span(s.T-ss[i-1].T), y+gapHeight
		}
		r := d.row(s)
		r.Y, r.Silence = y, silence
		d.Rows = append(d.Rows, r)
		y += rowHeight
	}
	d.Height = y + 8
}

// row draws a step from left to right. The label is next to its client's lifeline: on the side of
// the node if the client talks to one, otherwise where there is room.
func (d *diagram) row(s Step) row {
	own, node := d.x(view.Who(s.Process)), d.x(s.Node)
	r := row{Step: s, Label: s.Text, Class: s.Kind, Anchor: "start", X: own + 12}
	switch {
	case s.Kind == stepFault:
		r.Banner = true
	case s.Kind == stepItself && s.Node == "": // the end of a lease, as its client counts
		r.X = timeColumn
	case s.Kind == stepItself:
		r.X, r.Anchor = node, "middle"
	case s.Node != "":
		r.arrow(own, node)
	case own > d.Width-labelColumn-d.apart:
		r.X, r.Anchor = own-12, "end"
	}
	return r
}

// arrow draws a command or a reply; its label is as long as the arrow.
func (r *row) arrow(client, node float64) {
	way := 1.0
	if r.Anchor = "start"; node < client {
		way, r.Anchor = -1, "end"
	}
	r.Arrow, r.X = true, client+15*way
	r.From, r.To = client+7*way, node-7*way
	if r.Kind == stepReply {
		r.From, r.To = r.To, r.From
	}
	if r.Failed {
		r.Class += " bad"
	}
	r.Label = page.Clean(r.Text, int(((node-client)*way-28)/runeWidth))
}

// overlap marks the rows in which two clients are inside.
func (d *diagram) overlap() {
	for _, r := range d.Rows {
		if !r.During {
			continue
		}
		if d.Both == nil {
			d.Both = &bar{Y: r.Y - 8}
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

// LeftEdge, Inner and Right are the edges of what spans all lifelines, and where its name stands.
func (d *diagram) LeftEdge() float64 { return timeColumn - 8 }
func (d *diagram) Inner() float64    { return d.Width - labelColumn - timeColumn + 16 }
func (d *diagram) Right() float64    { return d.Width - labelColumn + 16 }
