package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/lockbench/lockbench/reports/reporttest"
)

func TestPlotsAreWellFormedAndNotEmpty(t *testing.T) {
	dir := t.TempDir()
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 60, Fail: true})
	if err := Write(dir, reporttest.View(t, r)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"latency", "quantiles", "holds", "waits", "distribution",
		"throughput", "fairness", "recovery"} {
		b, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if err != nil {
			t.Error(err)
			continue
		}
		if marks := bytes.Count(b, []byte("<path")); marks < 5 {
			t.Errorf("%s has only %d marks", name, marks)
		}
		for d := xml.NewDecoder(bytes.NewReader(b)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "holds.svg")); !strings.Contains(string(b),
		"both inside, ") || !strings.Contains(string(b), "kill n0") {
		t.Error("the hold chart shows neither the overlap nor the fault")
	}
}

func TestPlotsAsPNG(t *testing.T) {
	figs, err := Figures(reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{
		Clients: 3, Cycles: 12})))
	if err != nil {
		t.Fatal(err)
	}
	b, err := figs[0].PNG()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := png.Decode(bytes.NewReader(b)); err != nil || m.Bounds().Dx() < 600 {
		t.Errorf("a picture of %v: %v", m, err)
	}
}

func TestJain(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
	}{{[]float64{5, 5, 5, 5}, 1}, {[]float64{7, 0}, 0.5}, {nil, 1}} {
		if got := jain(c.xs); got != c.want {
			t.Errorf("jain(%v) = %v, want %v", c.xs, got, c.want)
		}
	}
}

// TestOneAxisOfTime wants what is at the same time at the same place in all plots over time, and
// each legend to the right of its plot.
func TestOneAxisOfTime(t *testing.T) {
	figs, err := Figures(reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4,
		Cycles: 60, Fail: true})))
	if err != nil {
		t.Fatal(err)
	}
	const hair = 2 // points, for the half of a label at the end
	apart := func(a, b vg.Length) bool { return a-b > hair || b-a > hair }
	var first draw.Canvas
	for i, f := range figs {
		canvas := draw.NewCanvas(new(recorder.Canvas), f.width, f.height)
		axes, legend := f.parts(canvas)
		area := f.plot.DataCanvas(axes)
		if i == 0 {
			first = area
		}
		if f.plot.X.Label.Text == timeLabel && (apart(area.Min.X, first.Min.X) ||
			apart(area.Max.X, first.Max.X)) {
			t.Errorf("the axis of %s is from %v to %v, of %s from %v to %v", f.Name, area.Min.X,
				area.Max.X, figs[0].Name, first.Min.X, first.Max.X)
		}
		if x, want := axisOf(f), axisOf(figs[0]); f.plot.X.Label.Text == timeLabel && x != want {
			t.Errorf("the axis of %s says %s, of %s %s", f.Name, x, figs[0].Name, want)
		}
		if f.named && (legend.Min.X <= axes.Max.X || f.legend.Rectangle(legend).Max.X > f.width) {
			t.Errorf("the legend of %s lies at %v, its plot ends at %v of %v", f.Name,
				f.legend.Rectangle(legend), axes.Max.X, f.width)
		}
	}
}

// axisOf is what a reader sees of the axis of time.
func axisOf(f *Figure) string {
	x := f.plot.X
	return fmt.Sprint(x.Min, x.Max, labels(x.Tick.Marker.Ticks(x.Min, x.Max)))
}

// TestManyHoldsAreDrawnAroundTheViolation draws some of a long run, and none where nothing is
// violated.
func TestManyHoldsAreDrawnAroundTheViolation(t *testing.T) {
	for _, fail := range []bool{false, true} {
		v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 800,
			Fail: fail}))
		f, err := holdFigure(v)
		if err != nil || (f != nil) != fail {
			t.Fatalf("violated: %v: a hold chart: %v, %v", fail, f != nil, err)
		}
		if fail && (!strings.Contains(f.Title, "(600 of ") ||
			!slices.Contains(drawn(t, f).texts, v.First().Label())) {
			t.Errorf("%s shows %q", f.Title, drawn(t, f).texts)
		}
	}
}
