package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// The kinds of sides.
const (
	aRun    = "run"
	aMatrix = "matrix"
	aGate   = "gate"
)

// Load reads the directory of a run, a matrix or a gate. It measures the costs of the runs whose
// records exist. It calls tell after each record, unless tell is nil.
func Load(ctx context.Context, dir string, tell func(done, all int)) (*Side, error) {
	root := dir
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("cannot read %s: no such file or directory", dir)
	} else if !info.IsDir() {
		root = filepath.Dir(dir)
	}
	return LoadFS(ctx, dir, units.Dir(root, units.MaxRecord), tell)
}

// LoadFS is like Load for a directory that is the root of a file system. The name is used in
// messages.
func LoadFS(ctx context.Context, name string, dir fs.FS, tell func(done, all int)) (*Side, error) {
	l := loader{dir: dir, side: &Side{Name: name}}
	var err error
	switch {
	case l.has(gate.ResultFile):
		err = l.gate()
	case l.has(matrix.File):
		err = l.matrix()
	case l.has(store.History):
		err = l.run()
	case l.has(store.Latest):
		err = fmt.Errorf("%s holds several results; the newest is %s", name,
			filepath.Join(name, store.Latest))
	default:
		err = fmt.Errorf("%s is not a run, matrix or gate: it has no %s, matrix.json or gate.json",
			name, store.History)
	}
	if err != nil {
		return nil, err
	}
	l.measure(ctx, tell)
	return l.side, ctx.Err()
}

// loader reads one side.
type loader struct {
	dir  fs.FS
	side *Side
}

func (l *loader) has(name string) bool {
	_, err := fs.Stat(l.dir, name)
	return err == nil
}

func document[T any](l *loader, name string) (*T, error) {
	f, err := l.dir.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.side.Name, err)
	}
	defer f.Close()
	d, err := batch.ReadDocument[T](f, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.side.Name, err)
	}
	return d, nil
}

// is sets the kind of the side and where it was run.
func (l *loader) is(kind, environment, machine string, versions, settings map[string]string) {
	s := l.side
	s.Kind, s.Environment, s.Machine, s.Versions, s.Settings = kind, environment, machine, versions,
		settings
}

func (l *loader) add(i Item) { l.side.Items = append(l.side.Items, i) }

func (l *loader) run() error {
	r, err := store.LoadFS(l.dir)
	if r == nil {
		return fmt.Errorf("%s is no run directory: %w", l.side.Name, err)
	}
	if r.Verdict == nil {
		return fmt.Errorf("%s has not been judged; `%s` does it", l.side.Name,
			advice.Check.Fill(l.side.Name))
	}
	h := r.History.Header
	l.is(aRun, h.Environment, h.Machine, h.Versions, settingsOf(r.Plan))
	l.add(Item{Name: h.Impl + " under " + h.Nemesis, Under: h.Nemesis, Trials: []Trial{
		{Finding: batch.NewFinding(r.Verdict, nil), record: "."}}})
	return nil
}

func (l *loader) matrix() error {
	m, err := document[matrix.Matrix](l, matrix.File)
	if err != nil {
		return err
	}
	l.is(aMatrix, m.Environment, m.Machine, m.Versions, map[string]string{"ttl": m.TTL.String(),
		"repeat": fmt.Sprint(m.Repeat), "seed": fmt.Sprint(m.Seed), "shard": m.Shard.String(),
		"part": part(m.Partial)})
	for _, c := range m.Cells {
		item := Item{Name: c.Row + ", " + c.Column, Under: c.Column}
		for _, r := range c.Runs {
			item.Trials = append(item.Trials, Trial{Finding: r.Finding, Aim: r.Nemesis, record: r.Dir})
		}
		if len(item.Trials) > 0 {
			l.add(item)
		}
	}
	for _, c := range m.Costs {
		item := Item{Name: c.Row + ", costs", Under: "costs", Trials: []Trial{{Cost: c.Cost}}}
		if len(c.Each) > 0 {
			item.Trials = nil
		}
		for _, each := range c.Each {
			item.Trials = append(item.Trials, Trial{Cost: each})
		}
		l.add(item)
	}
	return nil
}

func (l *loader) gate() error {
	r, err := document[gate.Result](l, gate.ResultFile)
	if err != nil {
		return err
	}
	l.is(aGate, r.Gate.Environment, r.Machine, gate.Flat(r.Versions),
		map[string]string{"shard": r.Shard.String(), "part": part(r.Partial)})
	for _, res := range r.Entries {
		for i := range r.Gate.Entries {
			if e := &r.Gate.Entries[i]; e.Name == res.Name {
				l.add(entry(e, res))
			}
		}
	}
	return nil
}

// part says whether a batch was interrupted.
func part(partial bool) string {
	if partial {
		return "interrupted"
	}
	return "whole"
}

func entry(e *gate.Entry, res gate.EntryResult) Item {
	item := Item{Name: e.Name, Under: e.Option("nemesis"), Gate: res.Result}
	item.Settings = map[string]string{
		"environment": e.Environment, "seed": fmt.Sprint(e.Seed), "seeds": fmt.Sprint(e.Seeds),
		"repeats": fmt.Sprint(e.Repeats), "expect": e.Expect.String(),
	}
	for _, o := range e.Options {
		item.Settings[o.Name] = strings.Join(o.Values, ",")
	}
	for _, run := range e.Count(res.Runs).Counted {
		item.Trials = append(item.Trials, Trial{Finding: run.Finding, Cost: run.Cost})
	}
	return item
}

// measure reads the records of all trials and skips missing ones.
func (l *loader) measure(ctx context.Context, tell func(done, all int)) {
	var trials []*Trial
	for i := range l.side.Items {
		for j := range l.side.Items[i].Trials {
			trials = append(trials, &l.side.Items[i].Trials[j])
		}
	}
	var mu sync.Mutex
	done := 0
	pool.Each(ctx, runtime.NumCPU(), slices.Values(trials), func(t *Trial) {
		if t.record != "" {
			if sub, err := fs.Sub(l.dir, t.record); err == nil {
				if r, err := store.LoadFS(sub); err == nil {
					t.Cost = batch.Join(batch.Measure(r.History, r.Trace))
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, len(trials))
		}
	})
}

// settingsOf returns the fields of a plan except its expectation, format and environment.
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
