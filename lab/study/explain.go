package study

import (
	_ "embed"
	"math"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// explanation says why something differs. It is written by people, once the difference has been
// understood.
type explanation struct {
	matrix.Explanation `yaml:",inline"`
	Shown              []proof // by a test
}

// proof is a run of the simulator that shows why its spaces and real Redis differ. Without
// Scenarios it is a space other than those of the table in which the letters are found.
type proof struct {
	Row, Column, Letters  string
	Clients, Rounds       int
	Tries                 int
	Preemptions, Expiries int
	// the times that are not those of the table
	Hold, Think, Poll, Timeout time.Duration
	Leaps                      bool // the pace
	Absent                     bool // they are not found there, either
	// how often the scenarios that ran on Redis find the letters in the simulator: never, sometimes or
	// mostly
	Scenarios string
	Nemesis   string // which of them; empty: all of the cell
}

//go:embed explanations.yaml
var explanationsYAML string

// explanations are tried in order.
var explanations = batch.Table[struct {
	// why a scenario finds something only sometimes, and cannot be made to find it each time
	Chances []explanation
	// why the simulator finds something else than was measured; missing: it was measured, and is not
	// found in the simulator
	Simulator []explanation
	// why the simulator finds something much more often, or more rarely, by the same scenarios
	Rates []explanation
}]("explanations.yaml", explanationsYAML)

// chance says why a property is not found each time; "" if it must be.
func chance(row, column, letter string) string {
	return among(explanations().Chances, matrix.Difference{Row: row, Column: column, Property: letter})
}

func among(list []explanation, d matrix.Difference) string {
	if e := fitting(list, d); e != nil {
		return e.Reason
	}
	return ""
}

// fitting is the first explanation of a difference; nil if there is none.
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

// contrast is a letter that real Redis and the simulator do not show equally often.
type contrast struct {
	Row, Column, Property string
	Nemesis               string // the scenario of the environment that finds it more often
	Real, Sim             HitRate
	Why                   string // "": it is not understood yet
}

// luck is the chance below which a contrast is not called luck. Some hundred letters are compared.
const luck = 0.001

// contrasts compares the soak on processes with that in the simulator, letter by letter. What the
// lock does without any fault in either of them is compared there only.
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

// counts reports whether a soak counted a property at all: some are older than a property.
func (s *Soak) counts(property string) bool {
	for _, h := range s.Found {
		if h.Property == property {
			return true
		}
	}
	return false
}

// rate is how often a soak found a letter, none of as many runs as there were if it never did.
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

// chance is how likely two counts are that differ as much or more, if both are draws from one lot
// (Fisher's exact test, two-sided).
func (c contrast) chance() (p float64) {
	n, m, hits := c.Real.Of, c.Sim.Of, c.Real.Hits+c.Sim.Hits
	log := func(k int) float64 { return ways(n, k) + ways(m, hits-k) - ways(n+m, hits) }
	seen := log(c.Real.Hits)
	for k := max(0, hits-m); k <= min(n, hits); k++ {
		if x := log(k); x <= seen+1e-9 {
			p += math.Exp(x)
		}
	}
	return p
}

// ways returns the logarithm of the binomial coefficient.
func ways(n, k int) float64 {
	f := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return f(n) - f(k) - f(n-k)
}
