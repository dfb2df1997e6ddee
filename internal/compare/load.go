package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/pool"
	"github.com/lockbench/lockbench/internal/store"
)

// The kinds of things that can be compared.
const (
	aRun    = "run"
	aMatrix = "matrix"
	aGate   = "gate"
)

// Load reads the directory of a run, a matrix or a gate, and measures what its runs cost, as
// far as their records are there. Tell is told of each record; it may be nil.
func Load(ctx context.Context, dir string, tell func(done, all int)) (*Side, error) {
	l := loader{dir: dir, side: &Side{Name: dir}}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("cannot read %s: no such file or directory", dir)
	} else if !info.IsDir() {
		l.dir = filepath.Dir(dir)
	}
	var err error
	switch {
	case l.has("gate.json"):
		err = l.gate()
	case l.has("matrix.json"):
		err = l.matrix()
	case l.has(store.History):
		err = l.run()
	default:
		err = fmt.Errorf("%s is no run, no matrix and no gate: it has no %s, matrix.json or gate.json",
			dir, store.History)
	}
	if err != nil {
		return nil, err
	}
	l.measure(ctx, tell)
	return l.side, ctx.Err()
}

// loader reads one side.
type loader struct {
	dir  string
	side *Side
	// of the trials' records, in the order of the items and their trials; "": there is none
	dirs []string
}

func (l *loader) has(name string) bool {
	_, err := os.Stat(filepath.Join(l.dir, name))
	return err == nil
}

func (l *loader) run() error {
	r, err := store.Load(l.dir)
	if r == nil {
		return err
	}
	if r.Verdict == nil {
		return fmt.Errorf("%s has not been judged; `lockbench check %s` does it", l.side.Name,
			l.side.Name)
	}
	h := r.History.Header
	l.side.Kind, l.side.Environment, l.side.Versions, l.side.Machine = aRun, h.Environment, h.Versions,
		h.Machine
	l.side.Settings = settingsOf(r.Plan)
	l.add(Item{Name: h.Impl + " under " + h.Nemesis, Under: h.Nemesis, Trials: []Trial{
		{Finding: batch.NewFinding(r.Verdict, nil)}}}, ".")
	return nil
}

func (l *loader) matrix() error {
	f, err := os.Open(filepath.Join(l.dir, "matrix.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := matrix.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", l.side.Name, err)
	}
	l.side.Kind, l.side.Environment, l.side.Versions, l.side.Machine = aMatrix, m.Environment,
		m.Versions,
		m.Machine
	l.side.Settings = map[string]string{"ttl": m.TTL.String(), "repeat": fmt.Sprint(m.Repeat),
		"seed": fmt.Sprint(m.Seed), "shard": m.Shard.String()}
	for _, c := range m.Cells {
		if len(c.Runs) == 0 {
			continue
		}
		item := Item{Name: c.Row + ", " + c.Column, Under: c.Column}
		var dirs []string
		for _, r := range c.Runs {
			item.Trials, dirs = append(item.Trials, Trial{Finding: r.Finding, Aim: r.Nemesis}),
				append(dirs, r.Dir)
		}
		l.add(item, dirs...)
	}
	return nil
}

func (l *loader) gate() error {
	f, err := os.Open(filepath.Join(l.dir, "gate.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gate.ReadResult(f)
	if err != nil {
		return fmt.Errorf("%s: %w", l.side.Name, err)
	}
	l.side.Kind, l.side.Environment, l.side.Versions, l.side.Machine = aGate, r.Gate.Environment,
		gate.Flat(r.Versions),
		r.Machine
	l.side.Settings = map[string]string{"shard": r.Shard.String()}
	for _, res := range r.Entries {
		for i := range r.Gate.Entries {
			if e := &r.Gate.Entries[i]; e.Name == res.Name {
				l.entry(e, res)
			}
		}
	}
	return nil
}

func (l *loader) entry(e *gate.Entry, res gate.EntryResult) {
	item := Item{Name: e.Name, Under: e.Option("nemesis"), Settings: map[string]string{
		"environment": e.Environment, "seed": fmt.Sprint(e.Seed), "seeds": fmt.Sprint(e.Seeds),
		"repeats": fmt.Sprint(e.Repeats), "expect": e.Expect.String(),
	}}
	for _, o := range e.Options {
		item.Settings[o.Name] = strings.Join(o.Values, ",")
	}
	var dirs []string
	for _, run := range e.Count(res.Runs).Counted {
		item.Trials, dirs = append(item.Trials, Trial{Finding: run.Finding, Cost: run.Cost}),
			append(dirs, "")
	}
	l.add(item, dirs...)
}

func (l *loader) add(i Item, dirs ...string) {
	l.side.Items, l.dirs = append(l.side.Items, i), append(l.dirs, dirs...)
}

// measure reads the records of all trials. One that is not there any more is left out.
func (l *loader) measure(ctx context.Context, tell func(done, all int)) {
	var trials []*Trial
	for i := range l.side.Items {
		for j := range l.side.Items[i].Trials {
			trials = append(trials, &l.side.Items[i].Trials[j])
		}
	}
	var mu sync.Mutex
	done := 0
	pool.Each(ctx, runtime.NumCPU(), slices.Values(indices(len(trials))), func(i int) {
		if l.dirs[i] != "" {
			if r, err := store.Load(filepath.Join(l.dir, filepath.FromSlash(l.dirs[i]))); err == nil {
				trials[i].Cost = batch.Join(batch.Measure(r.History, r.Trace))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, len(trials))
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// settingsOf are the fields of a plan. What is expected of a run changes nothing in it.
func settingsOf(plan []byte) map[string]string {
	out, raw := map[string]string{}, map[string]json.RawMessage{}
	if json.Unmarshal(plan, &raw) != nil {
		return out
	}
	for name, value := range raw {
		if name == "expect" || name == "format" || name == "environment" {
			continue
		}
		var flat bytes.Buffer
		if json.Compact(&flat, value) != nil {
			continue
		}
		out[name] = strings.Trim(flat.String(), `"`)
	}
	return out
}
