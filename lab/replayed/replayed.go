// Package replayed measures which counterexamples real Redis confirms. It tests one for each lock
// and fault of the matrix under which the simulator violates anything, and writes its table into
// lab/results/search.md.
package replayed

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/replay"
	"github.com/lockbench/lockbench/lab/study"
)

// Cell is a cell of the matrix with the properties that are violated there, the worst first.
type Cell struct {
	Row, Column string
	Letters     []string
}

// worst sorts the properties. First the lock itself fails, then it is never free again, then the
// work outlasts a lease. The others only say how long it stays taken.
const worst = "FLODSRA"

// Cells returns the cells of the matrix with a violation, on real Redis or in the simulator.
func Cells(b *study.Book) (all []Cell) {
	for i := range b.Matrix.Cells {
		c := &b.Matrix.Cells[i]
		found := Cell{c.Row, c.Column, c.Found()}
		for _, s := range b.Soaks {
			for _, h := range s.Found {
				if s.Environment == runner.Sim && h.Row == c.Row && h.Column == c.Column {
					found.Letters = append(found.Letters, h.Property)
				}
			}
		}
		slices.SortFunc(found.Letters, func(a, b string) int {
			return strings.Index(worst, a) - strings.Index(worst, b)
		})
		if found.Letters = slices.Compact(found.Letters); len(found.Letters) > 0 {
			all = append(all, found)
		}
	}
	return all
}

// Found is a counterexample of a cell.
type Found struct {
	Cell
	Letter string
	File   string
}

// The time limits of a search and of shrinking a counterexample.
const (
	longest = 30 * time.Second
	small   = 90 * time.Second
)

// Stored returns the counterexample of a cell in a directory, and whether there is one.
func Stored(c Cell, dir string) (Found, bool) {
	for _, letter := range c.Letters {
		file := c.file(dir, letter)
		if _, err := os.Stat(file); err == nil {
			return Found{c, letter, file}, true
		}
	}
	return Found{Cell: c}, false
}

// Find searches the simulator for a counterexample of a cell, as explore does, and stores it in a
// directory. It returns the worst violation that it finds. If it finds none, the letter is empty.
func Find(ctx context.Context, c Cell, dir string, seeds int) (Found, error) {
	for _, letter := range c.Letters {
		f := Found{c, letter, c.file(dir, letter)}
		x, err := c.search(ctx, letter, seeds)
		if err != nil {
			return f, fmt.Errorf("%s: %w", f.File, err)
		}
		if x != nil {
			return f, save(f.File, x)
		}
	}
	return Found{Cell: c}, nil
}

func (c Cell) file(dir, letter string) string {
	name := c.Row + "-" + c.Column + "-" + letter + ".yaml"
	return filepath.Join(dir, strings.NewReplacer(" ", "-", "+", "-plus").Replace(name))
}

func save(name string, x *counterexample.Counterexample) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(x.Write(f), f.Close())
}

// others is how many more violations are tried if the first cannot be replayed.
const others = 4

// search looks for a violation with the defaults of explore, then with the aims of the matrix, and
// then also with the times of the matrix, because a long acquire call explains a key that is left
// behind. It prefers a counterexample that can be replayed.
func (c Cell) search(ctx context.Context, letter string, seeds int) (
	first *counterexample.Counterexample, err error) {
	all, err := c.searches()
	for _, s := range all {
		s.Properties, s.Seeds, s.Jobs, s.Budget = []string{letter}, seeds, 1, longest
		for range 1 + others {
			hits, _, err := s.Find(ctx)
			if err != nil {
				return nil, err
			}
			if len(hits) == 0 {
				break
			}
			inner, stop := context.WithTimeout(ctx, small)
			x, _, err := hits[0].Shrink(inner, nil)
			if stop(); err != nil || replay.Possible(x) == nil {
				return x, err
			}
			first = cmp.Or(first, x)
			s.Options.Seed += hits[0].Seed + 1
		}
		if first != nil {
			return first, nil
		}
	}
	return nil, cmp.Or(err, ctx.Err())
}

// searches returns the searches for a cell.
func (c Cell) searches() (all []explore.Search, err error) {
	rows, err := matrix.FindRows([]string{c.Row})
	if err != nil {
		return nil, err
	}
	columns := matrix.Columns()
	column := columns[slices.IndexFunc(columns, func(x matrix.Column) bool {
		return x.Name == c.Column
	})]
	o := rows[0].Options(column.Fault())
	all = []explore.Search{{Options: o, Schedule: explore.Portfolio, Moments: explore.Both}}
	o.TTL = explore.DefaultTTL
	times := matrix.Options{Environment: runner.Sim, TTL: explore.DefaultTTL,
		Rows: []string{c.Row}, Columns: []string{c.Column}}
	tasks, err := times.Tasks()
	if err != nil {
		return nil, err
	}
	s := explore.Search{Schedule: explore.Random, Moments: explore.Aimed}
	var timed []explore.Search
	for _, t := range tasks {
		if a := t.Aim; !a.Control {
			s.Options = a.Apply(o)
			all = append(all, s)
			s.Options = times.RunOptions(rows[0], a, 0)
			timed = append(timed, s)
		}
	}
	return append(all, timed...), nil
}

// Replay replays the counterexample on real Redis. It removes the directories of the runs
// afterwards, except the last one if it was not confirmed.
func Replay(ctx context.Context, f Found, times int) (Result, error) {
	r := Result{Row: f.Row, Column: f.Column, Letter: f.Letter}
	if f.Letter == "" {
		return r, nil
	}
	x, err := counterexample.ReadFile(f.File)
	if err != nil {
		return r, err
	}
	r.Class, r.Fault, r.Steps = x.Verdict.Class, x.Plan.Nemesis, len(x.Steps)
	if err := replay.Possible(x); err != nil {
		r.Refused = err.Error()
		return r, nil
	}
	var dirs []string
	defer func() {
		if r.Diverged != "" && len(dirs) > 0 {
			dirs = dirs[:len(dirs)-1]
		}
		for _, d := range dirs {
			_ = os.RemoveAll(d)
		}
	}()
	began := time.Now()
	o, err := replay.Run(ctx, x, replay.Options{Environment: runner.Process, Times: times,
		Command: "lockbench replay --env process " + f.File, Dir: func() (string, error) {
			d, err := os.MkdirTemp("", "lockbench-replayed-")
			dirs = append(dirs, d)
			return d, err
		}})
	if err != nil {
		return r, err
	}
	r.Confirmed, r.Times, r.Again = o.Same, times, len(dirs)-o.Runs
	r.Redis, r.Seconds = o.Environment, int(time.Since(began).Seconds())
	if !o.Confirmed {
		r.Diverged, r.TooSlow, r.Dir = o.String(), o.TooSlow, o.Dir
	}
	return r, nil
}
