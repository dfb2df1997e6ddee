package gate

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Part is the result of one shard of a gate.
type Part struct {
	Name   string // its directory
	Result *Result
}

// Merge merges the shards of one gate and judges the result. With allowMissing, shards may be
// missing or interrupted, and their entries are then unknown.
func Merge(parts []Part, allowMissing bool) (*Result, error) {
	var common []batch.Part
	for _, p := range parts {
		plan, err := batch.Fields(p.Result.Gate, "file")
		if err != nil {
			return nil, err
		}
		plan["only"] = fmt.Appendf(nil, "%q", p.Result.Only)
		versions := Flat(p.Result.Versions)
		maps.Copy(versions, p.Result.Locks)
		common = append(common, batch.Part{
			Name: p.Name, Shard: p.Result.Shard, Partial: p.Result.Partial, Plan: plan,
			Version: p.Result.Version, Versions: versions,
		})
	}
	missing, err := batch.Joinable(common, allowMissing)
	if err != nil {
		return nil, err
	}
	first := parts[0].Result
	g := first.Gate
	var says Says
	for _, p := range parts {
		says.join(p.Result.Says)
	}
	res := g.result(Options{Only: first.Only}, g.joined(parts, missing), says)
	res.Version, res.Versions, res.Machine = first.Version, map[string]map[string]string{},
		first.Machine
	res.Locks = map[string]string{}
	for _, p := range parts {
		res.Took += p.Result.Took
		res.Partial = res.Partial || p.Result.Partial
		maps.Copy(res.Versions, p.Result.Versions)
		maps.Copy(res.Locks, p.Result.Locks)
		if p.Result.Machine != res.Machine {
			res.Machine = batch.SeveralMachines
		}
	}
	res.Partial = res.Partial || len(missing) > 0
	res.keepCounterexamples(parts)
	res.conclude()
	return res, nil
}

// joined returns the runs of all parts by entry.
func (g *File) joined(parts []Part, missing []string) map[string]*EntryResult {
	out := map[string]*EntryResult{}
	for i := range g.Entries {
		if e := &g.Entries[i]; chosen(parts[0].Result.Only, e.Name) {
			out[e.Name] = &EntryResult{Planned: e.planned()}
		}
	}
	for _, p := range parts {
		for _, e := range p.Result.Entries {
			o := out[e.Name]
			if o == nil { // the entry of the forms; result judges it again
				continue
			}
			o.Runs = append(o.Runs, e.Runs...)
			o.Cut = cmp.Or(o.Cut, e.Cut)
		}
	}
	for _, o := range out {
		if len(missing) > 0 && len(o.Runs) < o.Planned {
			o.Cut = cmp.Or(o.Cut, "shard "+strings.Join(missing, ", ")+" is missing")
		}
	}
	return out
}

// planned returns how many runs an entry needs in total. A search counts as one.
func (e *Entry) planned() int {
	if e.search() {
		return 1
	}
	return e.runs()
}

// keepCounterexamples copies the counterexamples that were shrunk from the shown runs.
func (r *Result) keepCounterexamples(parts []Part) {
	shrunk := map[string]string{}
	for _, p := range parts {
		for _, e := range p.Result.Entries {
			if e.Shown != nil && e.Shown.Counterexample != "" {
				shrunk[e.Shown.Dir] = e.Shown.Counterexample
			}
		}
	}
	for i := range r.Entries {
		if s := r.Entries[i].Shown; s != nil {
			s.Counterexample = shrunk[s.Dir]
		}
	}
}

// Flat returns the versions of all environments in one map.
func Flat(versions map[string]map[string]string) map[string]string {
	out := map[string]string{}
	for environment, vs := range versions {
		for what, v := range vs {
			out[environment+"'s "+what] = v
		}
	}
	return out
}
