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

// entry is an item of the list of entries in a gate file.
type entry struct {
	At     strictyaml.Position
	Name   string      `yaml:"name"`
	Expect Expectation `yaml:"expect"`
	Found  *Found      `yaml:"found"`
	Replay string      `yaml:"replay"`
	Until  string      `yaml:"until"`
	Ticket string      `yaml:"ticket"`
	common
	settings
}

// entry decodes one item. Settings that it does not give are taken from the document.
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
		Until: x.Until, Ticket: x.Ticket, asked: x.settings}
	own, err := written(v)
	if err != nil {
		return e, err
	}
	if strings.HasPrefix(x.Adapter, ".") { // a directory relative to the file
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

// written returns the options of a mapping as they are in the file, for gate.json.
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

// settle rejects contradictions, and fills in the name and the expectation of a replay.
func (e *Entry) settle(own []Option, given fields) error {
	named := e.asked.Impl != "" || e.asked.Adapter != ""
	expect, expects := given["expect"]
	if found, ok := given["found"]; ok {
		if expects || isReplay(given) {
			return found.At.Errorf("the entry has found, which takes the place of expect and replay; " +
				"remove one of them")
		}
		if err := e.Found.check(); err != nil {
			return found.At.Errorf("%w", err)
		}
		expects, e.Expect = true, Expectation{Snapshot: e.Found.String()}
	} else if e.Expect.Snapshot != "" {
		return expect.At.Errorf("expect cannot hold a snapshot; `%s` writes snapshots under the key "+
			"found:", advice.GateInit)
	}
	if err := checkUntil(e, given); err != nil {
		return err
	}
	name, ok := given["name"]
	replay := given["replay"]
	switch {
	case ok && e.Name == "":
		return name.At.Errorf("the name is empty; remove it or give one")
	case isReplay(given) && e.Replay == "":
		return replay.At.Errorf("replay names no file; name a counterexample")
	case isReplay(given):
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

// isReplay reports whether an entry is a counterexample.
func isReplay(given fields) bool { _, ok := given["replay"]; return ok }

// replayed handles an entry that takes its lock, fault and seed from a counterexample.
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
		return expect.At.Errorf("a replay does one thing; remove `within`")
	case !e.Expect.Violates:
		return expect.At.Errorf(
			"a replay shows that a violation still happens; that a lock is safe is shown by an entry with " +
				"`impl:` and `nemesis:`")
	}
	e.Seeds = 1
	return nil
}

// counts determines how many runs the entry has.
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

// overlay merges the options of an entry into the defaults.
func overlay(defaults, own []Option) []Option {
	others := slices.DeleteFunc(defaults, func(d Option) bool {
		return slices.ContainsFunc(own, func(o Option) bool { return o.Name == d.Name })
	})
	return append(others, own...)
}
