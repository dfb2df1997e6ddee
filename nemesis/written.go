package nemesis

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/history"
)

// written is a Step in a file, or in faults.yaml also a word for several steps. Its times may be in
// leases ("1.3ttl"), or drawn.
type written struct {
	At     strictyaml.Position
	Do     string  `yaml:"do"`
	Target string  `yaml:"target"`
	Node   string  `yaml:"node"`
	Mode   string  `yaml:"mode"`
	For    string  `yaml:"for"`
	Until  string  `yaml:"until"`
	UpTo   string  `yaml:"upto"` // of a wait: its time is drawn between for, or until, and this time
	Offset string  `yaml:"offset"`
	Rate   float64 `yaml:"rate"`
	Aimed  bool    `yaml:"aimed"`
	Await  *Await  `yaml:"await"`

	// of faults.yaml: an await's Nth; "N" is the variant's number, "masters" the number of masters
	Nth  string `yaml:"nth"`
	Only string `yaml:"only"` // the topology that has this step; if empty, each has it
}

// UnmarshalText reads an action with its target, or with the time of a wait.
func (w *written) UnmarshalText(text []byte) error {
	do, what, _ := strings.Cut(string(text), " ")
	if w.Do, w.Target = do, what; do == Wait {
		w.For, w.Target = what, ""
	}
	return nil
}

// scenario prepares the schedule for a plan: it converts leases into times, and draws with the
// plan's seed.
func (s *Schedule) scenario(p Params) (Scenario, error) {
	out := Scenario{Topology: s.Topology, Replicas: s.Replicas}
	switch {
	case p.Nodes > 1 && (s.Topology == "" || s.Topology == Independent):
		out.Topology = Independent
	case p.Nodes > 1:
		return out, fmt.Errorf("%s needs the topology %s; this lock uses %d independent masters", s.file,
			s.Topology, p.Nodes)
	case s.Topology == Independent:
		return out, fmt.Errorf("%s needs a lock on independent masters, such as redlock", s.file)
	case s.Topology == "":
		out.Topology = Single
	}
	if out.Topology == Failover {
		out.Replicas = cmp.Or(p.Replicas, s.Replicas)
	}
	timeout, err := p.span(s.ClientTimeout)
	if err != nil {
		return out, fmt.Errorf("%s: client_timeout: %w", s.file, err)
	}
	out.Timeout = timeout.D()
	draw := rand.New(rand.NewPCG(p.Seed, 0x5c4ed01e))
	for i, w := range s.Steps {
		step, err := w.step(p, draw)
		if w.Nth != "" || w.Only != "" {
			err = errors.New(`"nth" is for an await, and "only" for faults.yaml`)
		}
		if err != nil {
			return out, s.wrong(&StepError{i, err})
		}
		out.Steps = append(out.Steps, step)
	}
	if err := Check(out.Steps, out.Layout(p)); err != nil {
		return out, s.wrong(err)
	}
	out.Aimed = hits(out.Steps, s.Hits)
	return out, nil
}

// hits returns the number of steps that must hit. If none is aimed, any one of the faults must: a
// fault that misses every hold proves nothing.
func hits(steps []Step, asked *int) (n int) {
	for _, s := range steps {
		if s.Aimed {
			n++
		}
	}
	if asked != nil {
		return *asked
	}
	if n > 0 {
		return n
	}
	for i := range steps {
		if listed(steps[i].action().may, "aimed") {
			steps[i].Aimed, n = true, 1
		}
	}
	return n
}

func (w written) step(p Params, draw *rand.Rand) (s Step, err error) {
	s = Step{Do: w.Do, Target: w.Target, Node: w.Node, Mode: w.Mode, Rate: w.Rate,
		Aimed: w.Aimed}
	if w.Await != nil {
		await := *w.Await
		s.Await = &await
	}
	var upTo history.Duration
	for _, f := range []struct {
		name, text string
		to         *history.Duration
	}{{"for", w.For, &s.For}, {"until", w.Until, &s.Until}, {"upto", w.UpTo, &upTo},
		{"offset", w.Offset, &s.Offset}} {
		if *f.to, err = p.span(f.text); err != nil {
			return s, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if w.UpTo == "" {
		return s, nil
	}
	return s, drawn(&s, upTo, draw)
}

// drawn replaces a step's time by a random one up to upTo.
func drawn(s *Step, upTo history.Duration, draw *rand.Rand) error {
	at := &s.For
	if s.Until > 0 {
		at = &s.Until
	}
	switch {
	case s.Do != Wait:
		return fmt.Errorf(`"upto" is for a %s`, Wait)
	case upTo <= *at:
		return fmt.Errorf(`"upto" is %v; it must be later than %v`, upTo, *at)
	}
	*at += history.Duration(draw.Int64N(int64(upTo-*at)) + 1)
	return nil
}
