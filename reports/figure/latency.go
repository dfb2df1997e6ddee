package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
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
	return fig.countedOf(len(v.Calls), "call"), fig.scatter(v.End, granted, refused, unknown)
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
	lo, hi := math.Inf(1), 0.0
	for _, c := range granted {
		b, took := bin(c.To, v.End, bins), millis(c.To-c.From)
		values[b] = append(values[b], took)
		lo, hi = min(lo, took), max(hi, took)
	}
	for _, took := range values {
		slices.Sort(took)
	}
	for _, q := range []struct {
		of float64
		stroke
	}{
		{0.5, stroke{name: "median", color: colorDeep, width: 1.6}},
		{0.95, stroke{name: "p95", color: colorOK, width: 1.4}},
		{0.99, stroke{name: "p99", color: colorInfo, width: 1.2, dashes: []vg.Length{4, 2}}},
		{1, stroke{name: "max", color: colorMuted, width: 0.8, dashes: []vg.Length{1, 2}}},
	} {
		var pts plotter.XYs
		for b, took := range values {
			if len(took) > 0 {
				at := (float64(b) + 0.5) * units.Seconds(v.End) / float64(bins)
				pts = append(pts, plotter.XY{X: at, Y: units.Quantile(took, q.of)})
			}
		}
		if err := fig.line(q.stroke, pts); err != nil {
			return nil, err
		}
	}
	logarithmic(&fig.plot.Y, max(1e-3, lo), max(1e-2, hi))
	return fig.countedOf(len(granted), "acquisition"), nil
}

// throughputFigure shows acquire calls per second over time, by outcome.
func throughputFigure(v *view.View) (*Figure, error) {
	if len(v.Calls) < 4 {
		return nil, nil
	}
	bins := min(80, max(8, len(v.Calls)/6))
	width := max(units.Seconds(v.End), 1e-6) / float64(bins)
	fig := overTime(v, "throughput", "Throughput",
		"Acquire calls that returned per second, over time, by outcome.", "acquires per second")
	for _, o := range []struct {
		outcome history.Type
		stroke
	}{
		{history.OK, stroke{name: "granted", color: colorDeep}},
		{history.Fail, stroke{name: "refused", color: colorFail, dashes: []vg.Length{4, 2}}},
		{history.Info, stroke{name: "unknown", color: colorInfo, dashes: []vg.Length{1, 2}}},
	} {
		rates := make(plotter.XYs, bins+1)
		for i := range rates {
			rates[i].X = float64(i) * width
		}
		some := 0.0
		for _, c := range v.Calls {
			if c.Outcome == o.outcome {
				rate := &rates[bin(c.To, v.End, bins)].Y
				*rate += 1 / width
				some = max(some, *rate)
			}
		}
		if some == 0 {
			continue
		}
		rates[bins].Y = rates[bins-1].Y
		o.width, o.stairs = 1.4, true
		if err := fig.line(o.stroke, rates); err != nil {
			return nil, err
		}
	}
	fig.plot.Y.Min, fig.plot.Y.Max = 0, max(1, 1.5*fig.plot.Y.Max)
	return fig.countedOf(len(v.Calls), "call"), nil
}
