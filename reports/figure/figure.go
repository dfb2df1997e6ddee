// Package figure draws the plots of a run and the plots that compare locks. No other package
// imports gonum.
package figure

import (
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

// The colours of outcomes are Jepsen's, so that its users read the plots at once; shapes say the
// same again.
var (
	colorOK    = color.NRGBA{0x6D, 0xB6, 0xFE, 0xFF}
	colorInfo  = color.NRGBA{0xFF, 0xAA, 0x26, 0xFF}
	colorFail  = color.NRGBA{0xFE, 0xB5, 0xDA, 0xFF}
	colorInk   = color.NRGBA{0x20, 0x24, 0x2A, 0xFF}
	colorMuted = color.NRGBA{0x5B, 0x64, 0x70, 0xFF}
	colorGrid  = color.NRGBA{0xE4, 0xE7, 0xEB, 0xFF}
	colorBand  = color.NRGBA{0xFB, 0xF0, 0xDB, 0xFF}
	colorFault = color.NRGBA{0xA8, 0x5D, 0x00, 0xFF}
	colorBad   = color.NRGBA{0xC8, 0x1E, 0x3A, 0xFF}
	colorDeep  = color.NRGBA{0x1F, 0x6F, 0xC4, 0xFF}
	colorPage  = color.NRGBA{0xFE, 0xFE, 0xFE, 0xFF} // behind labels
)

// Figure is a plot with its file name, its title and a text alternative.
type Figure struct {
	Name, Title, Alt string
	plot             *plot.Plot
	legend           plot.Legend // outside the plot, so that it hides nothing
	named            bool        // the legend has an entry
	width, height    vg.Length
}

// Sizes in points. The plots of a page have their axes in the same place, so that what lies one
// above the other is at the same time.
const (
	figureWidth = 480
	marginLeft  = 58 // for the labels of the axis
	marginRight = 96 // for the legend
)

// maxFaults bounds the faults behind a plot.
const maxFaults = 200

// Figures returns the plots that a run has data for.
func Figures(v *view.View) (figs []*Figure, err error) {
	for _, make := range []func(*view.View) (*Figure, error){
		latencyFigure, quantileFigure, throughputFigure, holdFigure, waitFigure, distributionFigure,
		fairnessFigure, recoveryFigure, clockFigure, curveFigure,
	} {
		f, makeErr := make(v)
		if f != nil && makeErr == nil {
			figs = append(figs, f)
		}
		err = errors.Join(err, makeErr)
	}
	return figs, err
}

// few grants say nothing in a plot that the timeline and the tables do not say better.
const few = 8

// Telling returns the informative plots: for a run with few grants, only those that show single
// times.
func Telling(v *view.View) ([]*Figure, error) {
	figs, err := Figures(v)
	if len(v.Grants()) < few {
		figs = slices.DeleteFunc(figs, func(f *Figure) bool {
			return f.Name != "holds" && f.Name != "clocks" && f.Name != curveName
		})
	}
	return figs, err
}

// newFigure returns a plot in our style: no frame, light grid, text left.
func newFigure(name, title, alt, x, y string) *Figure {
	p := plot.New()
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = colorMuted, colorGrid
		a.LineStyle.Width = vg.Points(0.6)
		a.Label.TextStyle.Color, a.Tick.Label.Color = colorMuted, colorMuted
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = vg.Points(10), vg.Points(9)
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Padding = vg.Points(3)
	}
	l := plot.NewLegend()
	l.TextStyle.Font, l.TextStyle.Color = text(nil, 9).Font, colorInk
	l.Top, l.Left, l.Padding, l.ThumbnailWidth = true, true, vg.Points(6), vg.Points(18)
	return &Figure{Name: name, Title: title, Alt: alt, plot: p, legend: l, width: figureWidth,
		height: vg.Points(200)}
}

// countedOf adds to the title the number of things that a figure shows.
func (f *Figure) countedOf(n int, what string) *Figure {
	f.Title += " (" + units.Count(n, what) + ")"
	return f
}

// name puts a line of a figure into its legend.
func (f *Figure) name(name string, t plot.Thumbnailer) {
	f.legend.Add(name, t)
	f.named = true
}

func (f *Figure) grid() {
	g := plotter.NewGrid()
	g.Vertical.Color = nil
	g.Horizontal.Color, g.Horizontal.Width = colorGrid, vg.Points(0.6)
	f.plot.Add(g)
}

// parts returns the area of the plot, with room for the last tick's label, and right of it the area
// of the legend.
func (f *Figure) parts(c draw.Canvas) (axes, legend draw.Canvas) {
	c = draw.Crop(c, 0, -vg.Points(12), 0, -vg.Points(5))
	if f.width == figureWidth {
		c = draw.Crop(c, marginLeft-(f.plot.DataCanvas(c).Min.X-c.Min.X), 0, 0, 0)
	}
	legend = draw.Crop(c, c.Max.X-c.Min.X-vg.Points(marginRight-16), 0, 0, 0)
	if f.named || f.plot.X.Label.Text == timeLabel {
		c = draw.Crop(c, 0, -vg.Points(marginRight-12), 0, 0)
	}
	return c, legend
}

func (f *Figure) draw(c draw.Canvas) {
	axes, legend := f.parts(c)
	f.plot.Draw(axes)
	if f.named {
		f.legend.Draw(legend)
	}
}

// bands draws faults as the background of a plot over time: an area for the duration of a fault,
// and a line with its name at its beginning.
type bands []view.Fault

// Plot implements plot.Plotter.
func (b bands) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	line := draw.LineStyle{Color: colorFault, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3),
		vg.Points(2)}}
	style, labels := text(colorFault, 8), make(shelf, 4)
	drawn := b[:min(len(b), maxFaults)]
	for _, f := range drawn {
		x0, x1 := tx(units.Seconds(f.From)), min(tx(units.Seconds(f.To)), c.Max.X)
		if !f.Lasting && x1-x0 > 1 {
			c.FillPolygon(colorBand, box(x0, x1, c.Min.Y, c.Max.Y))
		}
		c.StrokeLine2(line, x0, c.Min.Y, x0, c.Max.Y)
	}
	for _, f := range drawn { // over the lines of all
		x0 := tx(units.Seconds(f.From))
		width := style.Width(f.Name()) + vg.Points(4)
		if row := labels.place(x0, x0+width); row >= 0 && x0+width < c.Max.X {
			y := c.Max.Y - vg.Points(8+9*float64(row))
			c.FillPolygon(colorPage, box(x0+1, x0+width, y-2, y+7))
			c.FillText(style, vg.Point{X: x0 + vg.Points(2), Y: y}, f.Name())
		}
	}
}

// shelf has rows for labels that do not overlap: the end of the last label in each.
type shelf []vg.Length

// place returns the row of a label, or -1 if all are taken.
func (s shelf) place(from, to vg.Length) int {
	i := slices.IndexFunc(s, func(end vg.Length) bool { return end <= from })
	if i >= 0 {
		s[i] = to
	}
	return i
}

// stroke is a line with its colour and its form.
type stroke struct {
	name   string // in the legend
	color  color.Color
	width  float64
	dashes []vg.Length
	stairs bool // a step line: the value holds until the next point
}

func (f *Figure) line(s stroke, pts plotter.XYs) error {
	l, err := plotter.NewLine(pts)
	if err != nil {
		return fmt.Errorf("plot %s: %w", f.Name, err)
	}
	l.Color, l.Width, l.Dashes = s.color, vg.Points(s.width), s.dashes
	if s.stairs {
		l.StepStyle = plotter.PostStep
	}
	f.plot.Add(l)
	f.name(s.name, l)
	return nil
}

// strokeOf numbers the lines of a figure that has one for each of several things.
func strokeOf(i int, name string) stroke {
	colors := []color.Color{colorDeep, colorInfo, colorMuted, colorOK, colorFail}
	dashes := [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}
	return stroke{name: name, color: colors[i%len(colors)], width: 1.5, dashes: dashes[i%len(dashes)]}
}

func text(c color.Color, size float64) draw.TextStyle {
	return draw.TextStyle{Color: c, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}}
}

func box(x0, x1, y0, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
