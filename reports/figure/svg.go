package figure

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/lockbench/lockbench/reports/view"
)

// themed replaces the colours of text, axes and grounds by the page's own, so that a plot follows
// light and dark.
var themed = strings.NewReplacer(
	"#20242A", "var(--ink)", "#5B6470", "var(--muted)", "#E4E7EB", "var(--line)", "#FBF0DB",
	"var(--band)",
	"#A85D00", "var(--fault)", "#C81E3A", "var(--bad)", "#1F6FC4", "var(--deep)", "#FFFFFF", "none",
	"#FEFEFE", "var(--page)",
)

func (f *Figure) svg() ([]byte, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height))
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return lean(b.Bytes()), err
}

// defaults removes from the style of a text what is the default.
var defaults = strings.NewReplacer("\n\tstyle=", " style=",
	"font-variant:normal;font-weight:normal;font-style:normal;", "")

// styled starts the style of a shape.
const styled = `" style="`

// joinable reports whether neighbouring shapes of this style look the same as one path. Translucent
// ones darken where they overlap, and the line of one may lie on the area of the one before.
func joinable(shape string) bool {
	return strings.HasPrefix(shape, "<path ") && !strings.Contains(shape, "opacity") &&
		(strings.Contains(shape, "fill:none") || !strings.Contains(shape, "stroke"))
}

// lean makes an SVG document of gonum smaller: it joins neighbouring shapes of one style to one
// path.
func lean(svg []byte) []byte {
	var b bytes.Buffer
	open := "" // the style of the path that is not ended yet
	for line := range strings.Lines(defaults.Replace(string(svg))) {
		d, style := line, ""
		if joinable(line) {
			d, style, _ = strings.Cut(line, styled)
		}
		if style != "" && style == open {
			b.WriteString(strings.TrimPrefix(d, `<path d="`))
			continue
		}
		if open != "" {
			b.WriteString(styled + open)
		}
		b.WriteString(d)
		open = style
	}
	return b.Bytes()
}

var svgSize = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)

// Shown is a figure as part of a page.
type Shown struct {
	Title string
	SVG   template.HTML
}

// Show draws figures as parts of a page: without the XML declaration, with the page's colours, as
// wide as there is room.
func Show(figs []*Figure) (shown []Shown, err error) {
	for _, f := range figs {
		b, err := f.svg()
		if err != nil {
			return nil, err
		}
		i := bytes.Index(b, []byte("<svg"))
		if i < 0 {
			return nil, fmt.Errorf("plot %s: no svg element", f.Name)
		}
		s := svgSize.ReplaceAllString(string(b[i:]),
			`<svg class="plot" role="img" aria-label="`+template.HTMLEscapeString(f.Alt)+`"`)
		shown = append(shown, Shown{f.Title, template.HTML(themed.Replace(s))})
	}
	return shown, nil
}

// Write writes the informative plots of a run into dir as SVG files.
func Write(dir string, v *view.View) error {
	figs, err := Telling(v)
	err = errors.Join(err, os.MkdirAll(dir, 0o755))
	for _, f := range figs {
		b, drawErr := f.svg()
		if drawErr == nil {
			drawErr = os.WriteFile(filepath.Join(dir, f.Name+".svg"), b, 0o644)
		}
		err = errors.Join(err, drawErr)
	}
	return err
}

// PNG draws a figure for places that cannot show SVG.
func (f *Figure) PNG() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(144))
	f.draw(draw.New(c))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}
