package explore

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// Part is the result of one shard of a search, with the file that holds it.
type Part struct {
	File     string
	Findings Findings
}

// ReadPart reads the output of `explore --json`. It looks for counterexamples at the path that the
// shard recorded and next to the file.
func ReadPart(file string) (Part, error) {
	f, err := batch.ReadFile[Findings](file)
	if err != nil {
		return Part{}, fmt.Errorf("%s is not what `%s --json` prints: %w", file, advice.Verb("explore"), err)
	}
	if f.Impl == "" {
		return Part{}, fmt.Errorf("%s is not what `%s --json` prints", file, advice.Verb("explore"))
	}
	for i := range f.Found {
		f.Found[i].find(filepath.Dir(file))
	}
	return Part{file, *f}, nil
}

// find reads the counterexample if it is on this machine.
func (f *Finding) find(dir string) {
	for _, at := range []string{f.File, filepath.Join(dir, f.File),
		filepath.Join(dir, filepath.Base(f.File))} {
		if x, err := counterexample.ReadFile(at); err == nil {
			f.File, f.counterexample = at, x
			return
		}
	}
}

// Merge merges the shards of one search. Each shard may occur once. It keeps the shortest
// counterexample of each property and class. With allowMissing, shards may be missing or stopped
// early, and the result is then marked as stopped.
func Merge(parts []Part, allowMissing bool) (Findings, error) {
	var common []batch.Part
	for _, p := range parts {
		plan, err := batch.Fields(p.Findings.Asked)
		if err != nil {
			return Findings{}, err
		}
		common = append(common, batch.Part{Name: p.File, Shard: p.Findings.Shard,
			Partial: p.Findings.Stopped, Plan: plan, Version: p.Findings.Version})
	}
	missing, err := batch.Joinable(common, allowMissing)
	if err != nil {
		return Findings{}, err
	}
	out := parts[0].Findings
	out.Shard, out.Missing, out.Found, out.Rate = batch.Shard{}, missing, nil, 0
	out.Progress = Progress{LeftOut: out.Progress.LeftOut}
	out.Stopped = len(missing) > 0
	for _, p := range parts {
		out.Rate += p.Findings.Rate
		out.Stopped = out.Stopped || p.Findings.Stopped
		out.Progress.add(p.Findings.Progress)
		out.Found = append(out.Found, p.Findings.Found...)
	}
	out.Found = shortest(out.Found)
	out.Rarer, out.Doubt = out.Progress.RarerThan(), ""
	if len(out.Found) == 0 && out.Covered == nil {
		out.Doubt = out.WhyTooLittle()
	}
	return out, nil
}

// add adds the progress of another shard. It is unknown how many of its states are new.
func (p *Progress) add(o Progress) {
	p.Runs += o.Runs
	p.Hits += o.Hits
	p.HarnessErrors += o.HarnessErrors
	p.Unrepeated += o.Unrepeated
	p.Hung = cmp.Or(p.Hung, o.Hung)
	p.Broke = cmp.Or(p.Broke, o.Broke)
	p.Evidence.add(o.Evidence)
	for _, a := range o.Aside {
		if !slices.ContainsFunc(p.Aside, func(b Aside) bool { return a.kind() == b.kind() }) {
			p.Aside = append(p.Aside, a)
		}
	}
	p.States, p.Joined = max(p.States, o.States), true
	p.Took = max(p.Took, o.Took)
}

// shortest keeps one finding of each property and class, those that a lock can prevent first. It
// clears the run number, because that counts the runs of one shard.
func shortest(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(batch.Truth(a.Outside != ""), batch.Truth(b.Outside != "")),
			strings.Compare(a.Property+a.Class, b.Property+b.Class), a.Steps-b.Steps)
	})
	all = slices.CompactFunc(all, func(a, b Finding) bool {
		return a.Property == b.Property && a.Class == b.Class
	})
	for i := range all {
		all[i].Run = 0
	}
	return all
}
