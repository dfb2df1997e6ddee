package gate

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// entryReader reads one entry.
type entryReader struct {
	*gateReader
	entry   *Entry
	given   map[string]Position
	options []Option // of its own
}

// entry reads one item of the list.
func (r *gateReader) entry(n ast.Node) (*Entry, error) {
	e := &Entry{Environment: r.gate.Environment, Seed: r.gate.Seed, Seeds: r.seeds, Repeats: r.repeats,
		At: r.at(n.GetToken())}
	fields, err := r.mapping(n, "an entry")
	if err != nil {
		return nil, err
	}
	if len(fields) > 0 {
		e.At = fields[0].at
	}
	er := entryReader{gateReader: r, entry: e, given: map[string]Position{}}
	for _, f := range fields {
		er.given[f.name] = f.at
		if err := er.key(f); err != nil {
			return nil, err
		}
	}
	return e, er.complete()
}

// key reads one key of an entry.
func (r *entryReader) key(f field) (err error) {
	e := r.entry
	switch f.name {
	case "name":
		e.Name, err = r.text(f.value, f.name)
		if err == nil && e.Name == "" {
			err = f.at.Errorf("the name is empty; leave it away, or give one")
		}
	case "environment":
		e.Environment, err = r.environment(f)
	case "expect":
		err = r.expect(f)
	case "replay":
		e.Replay, err = r.text(f.value, f.name)
		if err == nil && e.Replay == "" {
			err = f.at.Errorf("replay names no file; name a counterexample")
		}
		e.Replay = r.path(e.Replay)
	case "seed":
		e.Seed, err = r.number(f, 0)
	case "seeds":
		e.Seeds, err = r.count(f)
	case "repeats":
		e.Repeats, err = r.count(f)
	case "budget":
		e.Budget, err = r.duration(f)
	default:
		err = r.option(&r.options, f, slices.Concat(entryKeys, r.gateReader.options))
	}
	return err
}

func (r *entryReader) expect(f field) error {
	s, err := r.text(f.value, f.name)
	if err != nil {
		return err
	}
	if r.entry.Expect, err = ParseExpectation(s); err != nil {
		return r.at(f.value.GetToken()).Errorf("%v", err)
	}
	return nil
}

// complete refuses what does not go together, and fills in what was left away.
func (r *entryReader) complete() error {
	e := r.entry
	_, named := r.given["impl"]
	_, expects := r.given["expect"]
	switch {
	case e.Replay != "":
		if err := r.replayed(expects); err != nil {
			return err
		}
	case !named:
		return e.At.Errorf("the entry has no lock and no counterexample; add `impl:` or `replay:`")
	case !expects:
		return e.At.Errorf(`the entry has no expectation; add "expect: safe" or "expect: violates S"`)
	default:
		e.Options = overlay(r.defaults, r.options)
	}
	if e.Name == "" {
		e.Name = e.Title()
	}
	return r.counts()
}

// replayed is for an entry that takes lock, fault and seed from a counterexample.
func (r *entryReader) replayed(expects bool) error {
	e := r.entry
	if len(r.options) > 0 {
		return r.given[r.options[0].Name].Errorf(
			"%s is in the counterexample; an entry with replay takes it from there, so remove it here",
			r.options[0].Name)
	}
	for _, k := range []string{"seed", "seeds"} {
		if at, ok := r.given[k]; ok {
			return at.Errorf("%s means nothing for a replay; use repeats", k)
		}
	}
	if !expects {
		e.Expect = Expectation{Violates: true}
	}
	switch {
	case e.Expect.Within > 0:
		return r.given["expect"].Errorf("a replay does one thing; leave `within` away")
	case !e.Expect.Violates:
		return r.given["expect"].Errorf(
			"a replay shows that a violation still happens; that a lock is safe is shown by an entry with " +
				"`impl:` and `nemesis:`")
	}
	e.Seeds = 1
	return nil
}

// counts settles how many runs the entry has.
func (r *entryReader) counts() error {
	e := r.entry
	_, seeds := r.given["seeds"]
	repeats, own := r.given["repeats"]
	if e.search() && !seeds && !r.counted {
		e.Seeds = searchSeeds
	}
	if e.Environment == "sim" && e.Repeats > 1 && e.Replay == "" {
		at := e.At
		if own {
			at = repeats
		}
		return at.Errorf("repeats is %d; in the sim a seed gives the same run each time, so use seeds",
			e.Repeats)
	}
	if budget, ok := r.given["budget"]; ok && e.search() {
		return budget.Errorf("`within` is the budget of this entry; remove one of the two")
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
