package study

import (
	_ "embed"
	"math"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// explanation says why something differs. People write it once they understand the difference.
type explanation struct {
	matrix.Explanation `yaml:",inline"`
	Shown              []proof // shown by a test
}

// proof is a run of the simulator that shows why its results differ from real Redis. If Scenarios
// is empty, the properties are violated in a space that is not in the table.
type proof struct {
	Row, Column, Letters  string
	Clients, Rounds       int
	Tries                 int
	Preemptions, Expiries int
	// times that are not from the table
	Hold, Think, Poll, Timeout time.Duration
	Leaps                      bool // the pace
	Absent                     bool // they are not violated there either
	// how often the scenarios that ran on Redis show the violations in the simulator: never, sometimes
	// or mostly
	Scenarios string
	Nemesis   string // one of the scenarios; if empty, all of the cell
}

//go:embed explanations.yaml
var explanationsYAML string

// explanations holds the explanations. The first that fits is used.
var explanations = batch.Table[struct {
	// why a scenario finds something only sometimes and cannot be made reliable
	Chances []explanation
	// why the results of the simulator differ from the measurements; missing means that only Redis
	// showed the violation
	Simulator []explanation
	// why the same scenarios find something much more or less often in the simulator
	Rates []explanation
}]("explanations.yaml", explanationsYAML)

// chance returns the reason why a violation is not found each time, or "" if it must be.
func chance(row, column, letter string) string {
	return among(explanations().Chances, matrix.Difference{Row: row, Column: column, Property: letter})
}

func among(list []explanation, d matrix.Difference) string {
	if e := fitting(list, d); e != nil {
		return e.Reason
	}
	return ""
}

// fitting returns the first explanation of a difference, or nil.
func fitting(list []explanation, d matrix.Difference) *explanation {
	for i := range list {
		if list[i].Fits(d) {
			return &list[i]
		}
	}
	return nil
}

func split(properties string) (out []string) {
	for _, l := range properties {
		out = append(out, string(l))
	}
	return out
}

// contrast is a violation with different rates on real Redis and in the simulator.
type contrast struct {
	Row, Column, Property string
	Nemesis               string // the scenario of the environment that finds it more often
	Real, Sim             HitRate
	Why                   string // empty if it is not understood yet
}

// luck is the probability below which a contrast is not attributed to chance. It is small because
// some hundred pairs are compared.
const luck = 0.001

// contrasts compares the soaks on processes and in the simulator. A violation that happens without
// any fault in either of them is compared only there.
func (b *Book) contrasts() (out []contrast) {
	var real, sim *Soak
	for _, s := range b.Soaks {
		switch s.Environment {
		case "process":
			real = s
		case "sim":
			sim = s
		}
	}
	if real == nil || sim == nil {
		return nil
	}
	seen := map[contrast]bool{}
	for _, s := range []*Soak{real, sim} {
		for _, h := range s.Found {
			key := contrast{Row: h.Row, Column: h.Column, Property: h.Property}
			if seen[key] || !real.counts(h.Property) || !sim.counts(h.Property) || h.Column != "none" &&
				real.rate(h.Row, "none", h.Property).Hits+sim.rate(h.Row, "none", h.Property).Hits > 0 {
				continue
			}
			seen[key] = true
			c := key
			c.Real, c.Sim = real.rate(h.Row, h.Column, h.Property), sim.rate(h.Row, h.Column, h.Property)
			if c.Real.Of == 0 || c.Sim.Of == 0 || c.chance() >= luck {
				continue
			}
			c.Nemesis = c.Sim.Nemesis
			if c.Real.Hits*c.Sim.Of > c.Sim.Hits*c.Real.Of {
				c.Nemesis = c.Real.Nemesis
			}
			c.Why = among(explanations().Rates, matrix.Difference{Row: c.Row, Column: c.Column,
				Property: c.Property})
			out = append(out, c)
		}
	}
	return out
}

// counts reports whether a soak counted a property at all. Some soaks are older than a property.
func (s *Soak) counts(property string) bool {
	for _, h := range s.Found {
		if h.Property == property {
			return true
		}
	}
	return false
}

// rate returns how often a soak found a violation. If it never did, Of is the number of runs.
func (s *Soak) rate(row, column, property string) (r HitRate) {
	for _, list := range [][]HitRate{s.Found, s.Clean} {
		for _, h := range list {
			if h.Row == row && h.Column == column && h.Property == property {
				return h
			}
			if h.Row == row && h.Column == column {
				r.Of = max(r.Of, h.Of)
			}
		}
	}
	return r
}

// chance returns the probability that two counts differ at least as much if both have the same rate
// (Fisher's exact test, two-sided).
func (c contrast) chance() (p float64) {
	n, m, hits := c.Real.Of, c.Sim.Of, c.Real.Hits+c.Sim.Hits
	log := func(k int) float64 { return logChoose(n, k) + logChoose(m, hits-k) - logChoose(n+m, hits) }
	seen := log(c.Real.Hits)
	for k := max(0, hits-m); k <= min(n, hits); k++ {
		if x := log(k); x <= seen+1e-9 {
			p += math.Exp(x)
		}
	}
	return p
}

// logChoose returns the logarithm of the binomial coefficient.
func logChoose(n, k int) float64 {
	f := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return f(n) - f(k) - f(n-k)
}
