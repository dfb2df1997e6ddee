package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Metric is a measured value on both sides.
type Metric struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"` // of A and B
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Ratio float64 `json:"ratio,omitempty"` // B to A; 0 if undefined
	// the probability of such a difference by chance; 0 if there are too few runs to tell
	P      float64 `json:"p,omitempty"`
	Change string  `json:"change,omitempty"`
	// over the runs of each side; nil if the metric covers all pairs
	SpreadA *Spread `json:"spread_a,omitempty"`
	SpreadB *Spread `json:"spread_b,omitempty"`
}

// Spread is the range of the values of several runs. Their median is the metric.
type Spread struct {
	Runs  int     `json:"runs"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// The changes of a metric. A change that may be noise is left empty.
const (
	Better = "better"
	Worse  = "worse"
)

// A difference counts if chance alone would cause it in at most one of a hundred tables of
// comparisons, and if it is large enough to matter.
const (
	significance = 0.01
	least        = 0.05
)

// metric extracts a value from a cost, or a negative one if the cost has none. If up is true,
// larger values are better.
type metric struct {
	name, unit string
	up         bool
	of         func(batch.Cost) float64
}

var metrics = []metric{
	{"acquire p50", "ms", false, func(c batch.Cost) float64 { return millis(c.AcquireP50) }},
	{"acquire p99", "ms", false, func(c batch.Cost) float64 { return millis(c.AcquireP99) }},
	{"not granted", "%", false, ungranted},
	{"throughput", "grants/s", true, func(c batch.Cost) float64 { return unlessZero(c.Throughput) }},
	{"commands", "per grant", false, func(c batch.Cost) float64 { return unlessZero(c.Commands) }},
	{"recovery", "ms", false, func(c batch.Cost) float64 { return millis(c.Recovery) }},
}

func millis(d history.Duration) float64 { return unlessZero(float64(d) / 1e6) }

// unlessZero returns a value, or -1 for zero: a run without a grant has no latency, no rate and no
// price.
func unlessZero(v float64) float64 {
	if v == 0 {
		return -1
	}
	return v
}

// ungranted returns the share of acquires without a grant, in percent. They have no latency, and so
// a lock that fails more often could seem faster.
func ungranted(c batch.Cost) float64 {
	if c.Ungranted == nil {
		return -1
	}
	return 100 * float64(*c.Ungranted) / float64(c.Grants+*c.Ungranted)
}

// judgeCosts fills in the metrics of each pair and of all pairs together.
func (c *Comparison) judgeCosts(as, bs []Item) {
	tests := 0
	for i := range as {
		tests += asked(as[i], bs[i])
	}
	all := make([][]float64, len(metrics)) // the ratios, by metric
	for i := range as {
		for m, x := range metrics {
			a, b := x.samples(as[i], bs[i])
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

// asked returns how many statistical tests a pair needs.
func asked(a, b Item) (n int) {
	for _, x := range metrics {
		if as, bs := x.samples(a, b); len(as) >= minRuns && len(bs) >= minRuns {
			n++
		}
	}
	return n
}

// minRuns is how many runs each side needs. With fewer, no difference could be significant.
const minRuns = 5

// samples returns the values of a metric of both sides, one for each run that has it. If all of
// them are zero, it returns none: there is nothing to compare.
func (x metric) samples(a, b Item) (as, bs []float64) {
	as, bs = x.values(a), x.values(b)
	if !slices.ContainsFunc(slices.Concat(as, bs), func(v float64) bool { return v > 0 }) {
		return nil, nil
	}
	return as, bs
}

func (x metric) values(i Item) (out []float64) {
	for _, t := range i.Trials {
		if v := x.of(t.Cost); v >= 0 {
			out = append(out, v)
		}
	}
	return out
}

// compare returns the medians of the runs and the probability that their difference is chance.
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

// call sets whether a metric got better or worse, if that is certain.
func (m *Metric) call(x metric, level float64) {
	if m.P == 0 || m.P >= level || math.Abs(m.B-m.A) < least*m.A {
		return
	}
	m.Change = Worse
	if (m.B > m.A) == x.up {
		m.Change = Better
	}
}

// overall tests whether one side is better over all pairs. By chance alone, as many ratios would be
// above 1 as below.
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

// Text formats the metric for a table, without its unit: "12.1 → 14.0 (+16 %)".
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

// digits formats a number with three significant digits.
func digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Headings returns "name, unit" of each metric in the order of the table.
func Headings() (out []string) {
	for _, m := range metrics {
		out = append(out, m.name+", "+m.unit)
	}
	return out
}
