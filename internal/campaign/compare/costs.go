package compare

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Metric is one measured thing on both sides.
type Metric struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"` // of A and B
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Ratio float64 `json:"ratio,omitempty"` // B to A; 0: not defined
	// the chance of such a difference if there is none; 0: too little was measured to ask
	P      float64 `json:"p,omitempty"`
	Change string  `json:"change,omitempty"`
	// over the runs of each side; nil where it is of all pairs together
	SpreadA *Spread `json:"spread_a,omitempty"`
	SpreadB *Spread `json:"spread_b,omitempty"`
}

// Spread is what several runs of one side measured, whose median is the metric.
type Spread struct {
	Runs  int     `json:"runs"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// The changes of a metric. What may be noise is none.
const (
	Better = "better"
	Worse  = "worse"
)

// A difference is called one only if chance alone would make it once in a hundred comparisons, all
// of a table together, and if it is large enough to matter to a reader.
const (
	significance = 0.01
	least        = 0.05
)

// metric is how something is read from samples. Up: more is better.
type metric struct {
	name, unit string
	up         bool
	of         func(batch.Cost) float64
}

var metrics = []metric{
	{"acquire p50", "ms", false, func(c batch.Cost) float64 { return millis(c.AcquireP50.D()) }},
	{"acquire p99", "ms", false, func(c batch.Cost) float64 { return millis(c.AcquireP99.D()) }},
	{"throughput", "grants/s", true, func(c batch.Cost) float64 { return c.Throughput }},
	{"commands", "per grant", false, func(c batch.Cost) float64 { return c.Commands }},
	{"recovery", "ms", false, func(c batch.Cost) float64 { return millis(c.Recovery.D()) }},
}

func millis(d time.Duration) float64 { return float64(d) / 1e6 }

// judgeCosts fills in the metrics of each pair, and those of all pairs together.
func (c *Comparison) judgeCosts(as, bs []Item) {
	tests := 0
	for i := range as {
		tests += asked(as[i], bs[i])
	}
	all := make([][]float64, len(metrics)) // the ratios, by metric
	for i := range as {
		for m, x := range metrics {
			a, b := x.samples(as[i]), x.samples(bs[i])
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			got := x.compare(a, b)
			if c.Times || x.name == "commands" {
				got.call(x, significance/float64(max(tests, 1)))
			}
			c.Pairs[i].Metrics = append(c.Pairs[i].Metrics, got)
			if got.Ratio > 0 {
				all[m] = append(all[m], got.Ratio)
			}
		}
	}
	c.overall(all)
}

// asked is how many questions of chance a pair asks.
func asked(a, b Item) (n int) {
	for _, x := range metrics {
		if len(x.samples(a)) >= minRuns && len(x.samples(b)) >= minRuns {
			n++
		}
	}
	return n
}

// minRuns is how many runs each side must have: with fewer no difference at all would be certain
// enough.
const minRuns = 5

// samples are the metric of each run of an item. Zero is what was not seen.
func (x metric) samples(i Item) (out []float64) {
	for _, t := range i.Trials {
		if v := x.of(t.Cost); v > 0 {
			out = append(out, v)
		}
	}
	return out
}

// compare takes the median of the runs for people, and all of them for the question of chance.
func (x metric) compare(a, b []float64) Metric {
	m := Metric{Name: x.name, Unit: x.unit, A: median(a), B: median(b), SpreadA: spread(a),
		SpreadB: spread(b)}
	if m.A > 0 && m.B > 0 {
		m.Ratio = m.B / m.A
	}
	if len(a) < minRuns || len(b) < minRuns {
		return m
	}
	m.P = 1
	if r, err := stats.MannWhitneyUTest(a, b, stats.LocationDiffers); err == nil {
		m.P = r.P
	}
	return m
}

func spread(values []float64) *Spread {
	return &Spread{len(values), slices.Min(values), slices.Max(values)}
}

func median(values []float64) float64 { return stats.Sample{Xs: values}.Quantile(0.5) }

// call says whether a metric got better or worse, if that is certain.
func (m *Metric) call(x metric, level float64) {
	if m.P == 0 || m.P >= level || math.Abs(m.Ratio-1) < least {
		return
	}
	m.Change = Worse
	if (m.Ratio > 1) == x.up {
		m.Change = Better
	}
}

// overall asks of all pairs together whether one side is better: chance alone would put as many
// above as below.
func (c *Comparison) overall(ratios [][]float64) {
	if len(c.Pairs) < 2 {
		return
	}
	for i, x := range metrics {
		if len(ratios[i]) < 2 {
			continue
		}
		sum, above, below := 0.0, 0, 0
		for _, r := range ratios[i] {
			sum += math.Log(r)
			above, below = above+batch.Truth(r > 1), below+batch.Truth(r < 1)
		}
		m := Metric{Name: x.name, Unit: "ratio", A: 1, Ratio: math.Exp(sum / float64(len(ratios[i])))}
		m.B = m.Ratio
		if n := above + below; n >= minRuns {
			m.P = min(1, 2*stats.BinomialDist{N: n, P: 0.5}.CDF(float64(min(above, below))))
		}
		if c.Times || x.name == "commands" {
			m.call(x, significance/float64(len(metrics)))
		}
		c.Overall = append(c.Overall, m)
	}
}

// Text is the metric in a table, without its unit: "12.1 → 14.0 (+16 %)".
func (m Metric) Text() string {
	s := fmt.Sprintf("%s → %s", digits(m.A), digits(m.B))
	if m.Unit == "ratio" {
		s = "×" + digits(m.Ratio)
	} else if m.Ratio > 0 {
		s += fmt.Sprintf(" (%+.0f %%)", 100*(m.Ratio-1))
	}
	if m.Change != "" {
		s += " " + m.Change
	}
	return s
}

// digits writes three digits that count.
func digits(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Called are the metrics that certainly changed.
func (p Pair) Called() []Metric {
	return slices.DeleteFunc(slices.Clone(p.Metrics), func(m Metric) bool { return m.Change == "" })
}

// MetricNames are the metrics in the order in which they are written, and their units.
func MetricNames() (out, units []string) {
	for _, m := range metrics {
		out, units = append(out, m.name), append(units, m.unit)
	}
	return out, units
}
