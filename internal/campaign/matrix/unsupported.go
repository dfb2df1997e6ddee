package matrix

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// unsupported returns the reason why a scenario is not possible in the environment, or "".
func (o Options) unsupported(r Row, a Aim) string {
	never := nemesis.CapabilitiesOf(o.Environment).Unsupported() // on any machine
	if len(o.Unsupported) == 0 && len(never) == 0 && r.Adapter == "" {
		return ""
	}
	p, err := harness.NewPlan(o.RunOptions(r, a, 0))
	if no, ok := errors.AsType[nemesis.ImpossibleError](err); ok { // as with another system's servers
		return no.Reason.Error()
	}
	if err != nil {
		return "" // its run reports the error
	}
	for _, s := range p.Scenario {
		if why := cmp.Or(o.Unsupported[s.Do], never[s.Do]); why != "" {
			return fmt.Sprintf("this environment cannot %s: %s", s.Do, why)
		}
	}
	return ""
}

// impossible returns the reason why nothing can be run in a cell, or "". Either the lock and the
// fault do not fit, or the environment supports none of the fault's scenarios.
func (o Options) impossible(r Row, c Column) string {
	if why := cmp.Or(o.Missing[r.Adapter], o.Missing[r.Name]); why != "" {
		return why
	}
	why := Impossible(r, c)
	if why != "" {
		return why
	}
	for _, a := range c.Aims {
		if !a.Suits(r) {
			continue
		}
		lacks := o.unsupported(r, a)
		if lacks == "" {
			return ""
		}
		why = lacks
	}
	return why
}
