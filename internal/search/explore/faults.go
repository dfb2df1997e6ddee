package explore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// candidatesOf returns the candidates of a fault. If the fault was named by the user and cannot be
// searched, it returns an error. Otherwise it lists the unsupported forms as left out.
func (f *searching) candidatesOf(fault string, named bool) (plans []candidate, err error) {
	specs := variants(fault)
	for _, spec := range specs {
		all, err := f.candidates(spec)
		if err == nil && !named && f.Settled {
			err = f.unconfirmable(spec)
		}
		switch {
		case err == nil:
			plans = append(plans, all...)
		case named && (len(specs) == 1 || !impossible(err)):
			return nil, err
		default: // other forms can be searched
			f.tally.LeftOut = append(f.tally.LeftOut, LeftOut{spec, err.Error()})
		}
	}
	if named && len(plans) == 0 {
		return nil, fmt.Errorf("%s has no form whose moment can be drawn; use --moments aimed", fault)
	}
	return plans, nil
}

// unconfirmable returns why no run on a real server could confirm a finding under a fault, or nil.
func (f *searching) unconfirmable(spec string) error {
	o := f.Options
	o.Nemesis, o.Environment = spec, "process"
	if _, err := harness.NewPlan(o); impossible(err) {
		return fmt.Errorf("a run on a real server could not confirm it: %w", err)
	}
	return nil
}

// impossible reports whether the error says that the lock or the simulator does not support a
// fault.
func impossible(err error) bool {
	return errors.As(err, new(nemesis.ImpossibleError))
}

// candidates returns the plans of a form of a fault: one as its scenario aims it, one with drawn
// moments.
func (f *searching) candidates(spec string) (all []candidate, err error) {
	o := f.Options
	o.Nemesis = spec
	p, err := planFor(o)
	if err != nil {
		return nil, err
	}
	p.Properties = f.Properties
	if f.Moments == Aimed || f.Moments == Both {
		all = append(all, candidate{Plan: p})
	}
	if f.Moments != Aimed && f.drawable(p) {
		p.Scenario, p.Rounds = nil, max(drawnRounds, p.Cycles) // drawn for each seed
		all = append(all, candidate{Plan: p, drawn: true})
	}
	return all, nil
}

// drawable reports whether the fault of a plan can strike without an aim. Clients that are slow for
// less than a lease do not count as a fault, so noFault can be drawn.
func (f *searching) drawable(p harness.Plan) bool {
	_, ok := (draw{rand: rand.New(rand.NewPCG(1, 1)), plan: p}).injectOnce(p.Nemesis)
	return ok || p.Nemesis == noFault
}

// corpus holds the latest drawn runs that reached a new state.
type corpus struct {
	all  []kept
	next int // index of the oldest
}

type kept struct {
	plan     harness.Plan
	schedule string
}

// mostKept is the capacity of a corpus.
const mostKept = 64

func (c *corpus) keep(k kept) {
	if len(c.all) < mostKept {
		c.all = append(c.all, k)
		return
	}
	c.all[c.next] = k
	c.next = (c.next + 1) % mostKept
}

// changed returns a stored run with another moment, length or order, or with one more fault. If the
// seed does not change, the order also stays the same until the change has an effect.
func (d draw) changed(k kept) kept {
	seed := k.plan.Seed
	k.plan.Scenario = slices.Clone(k.plan.Scenario)
	var moments, waits []int
	for i, s := range k.plan.Scenario {
		if s.Await != nil {
			moments = append(moments, i)
		} else if s.Do == nemesis.Wait {
			waits = append(waits, i)
		}
	}
	switch n := d.rand.IntN(8); {
	case n < 3 && len(moments) > 0:
		d.moved(&k.plan.Scenario[moments[d.rand.IntN(len(moments))]])
	case n < 6 && len(waits) > 0:
		d.stretched(k.plan, waits[d.rand.IntN(len(waits))])
	case n == 6 && len(k.plan.Scenario) < mostSteps && k.plan.Nemesis != noFault:
		more, _ := d.injectOnce(k.plan.Nemesis)
		k.plan.Scenario = append(k.plan.Scenario, more...)
	default:
		seed = d.plan.Seed
	}
	k.plan.Seed = seed
	return k
}

// mostSteps limits the length of a scenario that gets another fault.
const mostSteps = 24

// moved changes the moment of a step: to another one, a little earlier or later, to the other side
// of the command, or to another client. A client that dwells inside or between two holds does not
// come to dwell at a command.
func (d draw) moved(s *nemesis.Step) {
	a := *s.Await
	s.Await = &a
	dwells := d.plan.Nemesis != noFault && (a.As == "slow" || a.As == "again")
	switch n := d.rand.IntN(6); {
	case n > 3 && !dwells:
		b := d.stop().Await
		a.Phase, a.At, a.Command, a.Nth = b.Phase, b.At, b.Command, b.Nth
	case n == 0 && a.At == nemesis.Before:
		a.At = nemesis.After
	case n == 0 && a.At == nemesis.After:
		a.At = nemesis.Before
	case n == 1:
		a.Client = d.client()
	case n == 2 && a.Nth > 1:
		a.Nth--
	default:
		a.Nth++
	}
}

// stretched changes the length of a step of a plan. It draws a new length, or changes the old one
// by a few percent. A client that is slow without a fault stays so for less than a lease.
func (d draw) stretched(p harness.Plan, step int) {
	s := &p.Scenario[step]
	switch {
	case p.Nemesis == noFault:
		left := slowest(p)
		for i, o := range p.Scenario {
			if i != step && (o.Do == nemesis.Wait || o.Await != nil && o.Await.As == "later") {
				left -= int64(o.For)
			}
		}
		s.For = history.Duration(1 + d.rand.Int64N(max(1, left)))
	case d.rand.IntN(2) == 0:
		s.For = d.length()
	default:
		s.For = max(1, s.For*history.Duration(90+d.rand.IntN(21))/100)
	}
}
