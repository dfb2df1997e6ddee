package gate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// entry is an item of the list of entries.
type entry struct {
	At     strictyaml.Position
	Name   string      `yaml:"name"`
	Expect Expectation `yaml:"expect"`
	Found  *Found      `yaml:"found"`
	Replay string      `yaml:"replay"`
	common
	settings
}

// entry reads one item. What it does not say is as in the whole document.
func (d document) entry(v strictyaml.Value, all fields) (Entry, error) {
	x := entry{common: d.common, settings: d.Defaults}
	x.Budget = 0
	given, err := decode(v, &x)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Name: x.Name, Environment: x.Environment, Expect: x.Expect, Found: x.Found,
		Seed: x.Seed, Seeds: x.Seeds, Repeats: x.Repeats, Budget: history.Duration(x.Budget),
		At: x.At, Line: x.At.Line,
		asked: x.settings}
	own, err := written(v)
	if err != nil {
		return e, err
	}
	if strings.HasPrefix(x.Adapter, ".") { // a folder, beside the file
		if e.asked.Adapter, err = filepath.Abs(fromGate(x.At.File, x.Adapter)); err != nil {
			return e, err
		}
	}
	if x.Replay != "" {
		e.Replay = fromGate(x.At.File, x.Replay)
	}
	if e.Replay == "" {
		defaults, err := written(all["defaults"].Value)
		if err != nil {
			return e, err
		}
		e.Options = overlay(defaults, own)
	}
	if err := e.settle(own, given); err != nil {
		return e, err
	}
	return e, e.counts(given, all)
}

// written are the options of a mapping as they stand there, for gate.json.
func written(v strictyaml.Value) (out []Option, err error) {
	if !v.Given() {
		return nil, nil
	}
	pairs, err := v.Fields()
	names := strictyaml.Names[settings]()
	for _, f := range pairs {
		if !slices.Contains(names, f.Name) {
			continue
		}
		values, err := f.Value.Texts()
		if err != nil {
			return nil, err
		}
		out = append(out, Option{f.Name, values})
	}
	return out, err
}

// settle refuses what does not go together, and fills in the expectation of a replay and the name.
func (e *Entry) settle(own []Option, given fields) error {
	named := e.asked.Impl != "" || e.asked.Adapter != ""
	expect, expects := given["expect"]
	if found, ok := given["found"]; ok {
		if expects || again(given) {
			return found.At.Errorf("the entry has found, which takes the place of expect and replay; " +
				"remove one of them")
		}
		if err := e.Found.check(); err != nil {
			return found.At.Errorf("%w", err)
		}
		expects, e.Expect = true, Expectation{Snapshot: e.Found.String()}
	} else if e.Expect.Snapshot != "" {
		return expect.At.Errorf("what was found is written by `%s`, as found:", advice.GateInit)
	}
	name, ok := given["name"]
	replay := given["replay"]
	switch {
	case ok && e.Name == "":
		return name.At.Errorf("the name is empty; leave it away, or give one")
	case again(given) && e.Replay == "":
		return replay.At.Errorf("replay names no file; name a counterexample")
	case again(given):
		if err := e.replayed(own, given); err != nil {
			return err
		}
	case !named:
		return e.At.Errorf("the entry has no lock and no counterexample; add `impl:`, `adapter:` or " +
			"`replay:`")
	case !expects:
		return e.At.Errorf(`the entry has no expectation; add "expect: safe" or "expect: violates S"`)
	}
	if e.Name == "" {
		e.Name = e.Title()
	}
	return nil
}

// again reports whether an entry is a counterexample.
func again(given fields) bool { _, ok := given["replay"]; return ok }

// replayed is for an entry that takes lock, fault and seed from a counterexample.
func (e *Entry) replayed(own []Option, given fields) error {
	if len(own) > 0 {
		return given[own[0].Name].At.Errorf(
			"%s is in the counterexample; an entry with replay takes it from there, so remove it here",
			own[0].Name)
	}
	for _, k := range []string{"seed", "seeds"} {
		if f, ok := given[k]; ok {
			return f.At.Errorf("%s means nothing for a replay; use repeats", k)
		}
	}
	expect, ok := given["expect"]
	if !ok {
		e.Expect = Expectation{Violates: true}
	}
	switch {
	case e.Expect.Within > 0:
		return expect.At.Errorf("a replay does one thing; leave `within` away")
	case !e.Expect.Violates:
		return expect.At.Errorf(
			"a replay shows that a violation still happens; that a lock is safe is shown by an entry with " +
				"`impl:` and `nemesis:`")
	}
	e.Seeds = 1
	return nil
}

// counts settles how many runs the entry has.
func (e *Entry) counts(given, all fields) error {
	_, seeds := given["seeds"]
	_, counted := all["seeds"]
	if e.search() && !seeds && !counted {
		e.Seeds = searchSeeds
	}
	if e.Environment == runner.Sim && e.Repeats > 1 && e.Replay == "" {
		at := e.At
		if repeats, own := given["repeats"]; own {
			at = repeats.At
		}
		return at.Errorf("repeats is %d; in the sim a seed gives the same run each time, so use seeds",
			e.Repeats)
	}
	if budget, ok := given["budget"]; ok && e.search() {
		return budget.At.Errorf("`within` is the budget of this entry; remove one of the two")
	}
	if e.runs() > maxRuns {
		return e.At.Errorf("%d seeds, %d times each, are more than %d runs", e.Seeds, e.Repeats, maxRuns)
	}
	return nil
}

// overlay are the defaults with an entry's own options over them.
func overlay(defaults, own []Option) (out []Option) {
	for _, d := range defaults {
		if !slices.ContainsFunc(own, func(o Option) bool { return o.Name == d.Name }) {
			out = append(out, d)
		}
	}
	return append(out, own...)
}
