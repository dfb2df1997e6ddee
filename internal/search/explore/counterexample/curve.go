package counterexample

import "fmt"

// Curve says how likely the violation was from each step on: the run is done again up to there, and
// goes on at random.
type Curve struct {
	Runs int `yaml:"runs" json:"runs"` // for each point
	// the first step from which on the violation is at least as likely as not, and stays so; from 1
	Decided int     `yaml:"decided" json:"decided"`
	Points  []Point `yaml:"points" json:"points"`
}

// Point is a number of steps that were done again, and in how many of the runs that went on at
// random from there the violation came about.
type Point struct {
	Steps      int `yaml:"steps" json:"steps"`
	Violations int `yaml:"violations" json:"violations"`
}

// NewCurve is the curve of so many runs for each of the points, which are in the order of their
// steps and end with the last.
func NewCurve(runs int, points []Point) *Curve {
	c := &Curve{Runs: runs, Points: points}
	for i := len(points) - 1; i >= 0 && 2*points[i].Violations >= runs; i-- {
		c.Decided = points[i].Steps
	}
	return c
}

// Share is the share of the violations at a point.
func (c *Curve) Share(p Point) float64 { return float64(p.Violations) / float64(max(c.Runs, 1)) }

// at is the share after so many steps: that of the last point before.
func (c *Curve) at(steps int) (share float64) {
	for _, p := range c.Points {
		if p.Steps <= steps {
			share = c.Share(p)
		}
	}
	return share
}

// String says in one line where the violation was decided.
func (c *Curve) String() string {
	if c.Decided == 0 {
		return fmt.Sprintf("decided before the first step: of %d runs that begin alike and go on at "+
			"random %.0f %% end so", c.Runs, 100*c.at(0))
	}
	return fmt.Sprintf("decided at step %d: of %d runs that go on at random from the step before "+
		"%.0f %% end so, and from that step on %.0f %%", c.Decided, c.Runs, 100*c.at(c.Decided-1),
		100*c.at(c.Decided))
}

// validate says why a curve that was read cannot be used; nil: it can, or there is none.
func (c *Curve) validate(steps int) error {
	if c == nil {
		return nil
	}
	last := -1
	for _, p := range c.Points {
		if p.Steps <= last || p.Steps > steps || p.Violations < 0 || p.Violations > c.Runs {
			return fmt.Errorf("the curve's point of %d steps has %d violations in %d runs of %d steps",
				p.Steps, p.Violations, c.Runs, steps)
		}
		last = p.Steps
	}
	if len(c.Points) == 0 || c.Runs < 1 || c.Decided < 0 || c.Decided > last {
		return fmt.Errorf("the curve has %d points of %d runs, decided at step %d", len(c.Points), c.Runs,
			c.Decided)
	}
	return nil
}
