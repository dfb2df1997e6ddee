package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/view"
)

// latencyFigure shows how long each acquire took, by outcome, over time.
func latencyFigure(v *view.View) (*Figure, error) {
	if len(v.Calls) == 0 {
		return nil, nil
	}
	granted := cloud{name: "granted", shape: draw.CircleGlyph{}, color: colorOK}
	refused := cloud{name: "refused", shape: draw.CrossGlyph{}, color: colorFail}
	unknown := cloud{name: "unknown", shape: draw.TriangleGlyph{}, color: colorInfo}
	for _, c := range v.Calls {
		to := &unknown
		switch c.Outcome {
		case history.OK:
			to = &granted
		case history.Fail:
			to = &refused
		}
		to.add(c.From, c.From, c.To)
	}
	fig := overTime(v, "latency", "Latency of acquire over time",
		fmt.Sprintf("Scatter plot of the latency of %s over %.2f seconds, by outcome.",
			units.Count(len(v.Calls), "acquire call"), units.Seconds(v.End)), "latency of acquire")
	return fig, fig.scatter(v.End, granted, refused, unknown)
}

// quantileFigure shows the median, the 95th and 99th percentile and the maximum of the latency of
// granted acquires per slice of time.
func quantileFigure(v *view.View) (*Figure, error) {
	granted := slices.DeleteFunc(slices.Clone(v.Calls), func(c record.Call) bool {
		return c.Outcome != history.OK
	})
	bins := min(60, len(granted)/5)
	if bins < 2 {
		return nil, nil
	}
	fig := overTime(v, "quantiles", "Latency of granted acquires as quantiles",
		fmt.Sprintf(
			"Median, 95th and 99th percentile and maximum of the latency of granted acquires in %d "+
				"slices of time.",
			bins), "latency of acquire")
	values := make([][]float64, bins)
	for _, c := range granted {
		b := min(bins-1, int(float64(c.To)/float64(max(1, v.End))*float64(bins)))
		values[b] = append(values[b], millis(c.To-c.From))
	}
	for _, took := range values {
		slices.Sort(took)
	}
	lo, hi := math.Inf(1), 0.0
	for _, q := range []struct {
		name  string
		q     float64
		color color.Color
		width float64
		dash  []vg.Length
	}{
		{"median", 0.5, colorDeep, 1.6, nil}, {"p95", 0.95, colorOK, 1.4, nil},
		{"p99", 0.99, colorInfo, 1.2, []vg.Length{4, 2}}, {"max", 1, colorMuted, 0.8, []vg.Length{1, 2}},
	} {
		var pts plotter.XYs
		for b, took := range values {
			if len(took) > 0 {
				pts = append(pts, plotter.XY{X: (float64(b) + 0.5) * units.Seconds(v.End) / float64(bins),
					Y: units.Quantile(took, q.q)})
				lo, hi = min(lo, took[0]), max(hi, took[len(took)-1])
			}
		}
		if err := fig.line(q.name, pts, q.color, q.width, q.dash...); err != nil {
			return nil, err
		}
	}
	fig.logY(lo, hi)
	return fig, nil
}

// throughputFigure shows acquire calls per second over time, by outcome.
func throughputFigure(v *view.View) (*Figure, error) {
	if len(v.Calls) < 4 {
		return nil, nil
	}
	bins := min(80, max(8, len(v.Calls)/6))
	end := max(units.Seconds(v.End), 1e-6)
	fig := overTime(v, "throughput", "Throughput",
		"Acquire calls that returned per second, over time, by outcome.", "acquires per second")
	width, top := end/float64(bins), 0.0
	for _, g := range []struct {
		name  string
		t     history.Type
		color color.Color
		dash  []vg.Length
	}{{"granted", history.OK, colorDeep, nil}, {"refused", history.Fail, colorFail, []vg.Length{4, 2}},
		{"unknown", history.Info, colorInfo, []vg.Length{1, 2}}} {
		counts, some := make([]float64, bins), false
		for i := range v.Calls {
			if o := &v.Calls[i]; o.Outcome == g.t {
				counts[min(bins-1, int(units.Seconds(o.To)/width))]++
				some = true
			}
		}
		if !some {
			continue
		}
		var pts plotter.XYs
		for b, c := range counts {
			pts = append(pts, plotter.XY{X: float64(b) * width, Y: c / width}, plotter.XY{
				X: float64(b+1) * width, Y: c / width})
			top = max(top, c/width)
		}
		if err := fig.line(g.name, pts, g.color, 1.4, g.dash...); err != nil {
			return nil, err
		}
	}
	fig.plot.Y.Min, fig.plot.Y.Max = 0, max(1, top*1.5)
	return fig, nil
}
