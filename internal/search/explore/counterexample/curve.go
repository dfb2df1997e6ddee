package counterexample

import "fmt"

// Curve records how likely the violation was after each step. To measure a point, the run is
// repeated up to its step and then continues at random.
type Curve struct {
	Runs int `yaml:"runs" json:"runs"` // runs for each point
	// the first step, from 1, after which the violation stays at least as likely as not
	Decided int     `yaml:"decided" json:"decided"`
	Points  []Point `yaml:"points" json:"points"`
}

// Point is one measurement of a curve. Steps is the number of repeated steps, and Violations is the
// number of runs that then had the violation.
type Point struct {
	Steps      int `yaml:"steps" json:"steps"`
	Violations int `yaml:"violations" json:"violations"`
}

// NewCurve returns the curve of the points, each measured with the given number of runs. The points
// are sorted by their steps, and the last one is the last step.
func NewCurve(runs int, points []Point) *Curve {
	c := &Curve{Runs: runs, Points: points}
	for i := len(points) - 1; i >= 0 && 2*points[i].Violations >= runs; i-- {
		c.Decided = points[i].Steps
	}
	return c
}

// Share returns the share of the runs of a point that had the violation.
func (c *Curve) Share(p Point) float64 { return float64(p.Violations) / float64(max(c.Runs, 1)) }

// shareAt returns the share at the last point that has at most so many steps.
func (c *Curve) shareAt(steps int) (share float64) {
	for _, p := range c.Points {
		if p.Steps <= steps {
			share = c.Share(p)
		}
	}
	return share
}

// String says in one line at which step the violation was decided.
func (c *Curve) String() string {
	if c.Decided == 0 {
		return fmt.Sprintf("decided by the plan: of %d runs that begin alike and go on at "+
			"random %.0f %% end so", c.Runs, 100*c.shareAt(0))
	}
	return fmt.Sprintf("decided at step %d: of %d runs that go on at random from the step before "+
		"%.0f %% end so, and from that step on %.0f %%", c.Decided, c.Runs, 100*c.shareAt(c.Decided-1),
		100*c.shareAt(c.Decided))
}

// validate returns an error if a curve that was read is inconsistent. A nil curve is valid.
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
