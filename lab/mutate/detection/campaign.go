package detection

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/lab/mutate"
)

// Campaign specifies which mutants are tested, and how thoroughly.
type Campaign struct {
	Root         string                   // root directory of the repository
	Ask          func(mutate.Mutant) bool // reports whether to test a mutant; if nil, all are tested
	Aimed, Drawn int                      // as in a Question
	// The same for the original locks. They need many more runs than a mutant, because a violation
	// that the original lock shows rarely is not a finding.
	AsItIsAimed, AsItIsDrawn int
	// the seeds of the original lock for the violations of a mutant, in Clock; 0 means 4,000
	AsItIs int

	Matrix *matrix.Matrix   // measurements of the original locks; may be nil
	Known  map[string]Known // the Known of an earlier record; may be nil
	Jobs   int
	Tell   func(done, all int, r Result) // called after each mutant; may be nil
}

// The limits in seconds of CPU time. The watchdog limits a single aimed run or the search of one
// fault, in which a seed takes at most mostOfSeed.
const (
	limit      = 60
	runLimit   = 10
	mostOfSeed = 2
	noLimit    = 3600
)

const seed = 1

// Mutants returns the selected mutants of the locks of a repository.
func Mutants(root string) ([]mutate.Mutant, error) {
	folder := filepath.Join(root, "impls")
	all, err := mutate.Derive(folder, os.DirFS(folder))
	return mutate.Choose(all), err
}

// Run tests the mutants and returns the record, in the order of the source. If ctx ends, the record
// contains the mutants so far. Mutants that are not selected keep their results from old. Old may
// be nil.
func (c Campaign) Run(ctx context.Context, old *Record) (*Record, error) {
	program, mutants, clean, err := c.build()
	if err != nil {
		return nil, err
	}
	defer clean()
	r := &Record{Format: batch.Format, Seed: seed, Limit: limit, Known: c.Known}
	if r.Known == nil {
		if r.Known, err = c.asTheyAre(ctx, program, mutants); err != nil {
			return nil, err
		}
	}
	err = c.testAll(ctx, program, mutants, r, old)
	return r, err
}

// build compiles the program with the mutants. The function clean removes it.
func (c Campaign) build() (program string, mutants []mutate.Mutant, clean func(), err error) {
	if mutants, err = Mutants(c.Root); err != nil {
		return "", nil, nil, err
	}
	dir, err := os.MkdirTemp("", "detection")
	if err != nil {
		return "", nil, nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	program = filepath.Join(dir, "probe")
	folder := filepath.Join(c.Root, "impls")
	if err = mutate.Build(folder, os.DirFS(folder), mutants, filepath.Join(c.Root, "lab"),
		"./mutate/probe", program); err != nil {
		clean()
	}
	return program, mutants, clean, err
}

// asTheyAre tests the original locks.
func (c Campaign) asTheyAre(ctx context.Context, program string, mutants []mutate.Mutant) (
	map[string]Known, error) {
	known := map[string]Known{}
	var names []string
	for _, m := range mutants {
		if !slices.Contains(names, m.Lock) {
			names = append(names, m.Lock)
		}
	}
	slices.Reverse(names) // the last ones take longest
	var mu sync.Mutex
	return known, each(c.Jobs, len(names), func(i int) error {
		lock := names[i]
		r, err := ask(ctx, program, 0, Question{Lock: lock, Aimed: c.AsItIsAimed,
			Drawn: c.AsItIsDrawn, Seed: seed, Limit: noLimit, RunLimit: noLimit})
		if err == nil && r.End != "" {
			err = fmt.Errorf("%s as it is: %s %s", lock, r.End, r.Words)
		}
		k := Known{}
		for _, f := range slices.Concat(r.Aimed, r.Drawn) {
			k.add(f.Row, f.Fault, f.Letters...)
		}
		c.measured(lock, k)
		mu.Lock()
		defer mu.Unlock()
		known[lock] = k
		if c.Tell != nil {
			c.Tell(0, len(mutants), Result{Mutant: mutate.Mutant{Lock: lock}, Runs: r.Runs})
		}
		return err
	})
}

// measured adds the violations that were measured on Redis.
func (c Campaign) measured(lock string, k Known) {
	if c.Matrix == nil {
		return
	}
	for i := range c.Matrix.Cells {
		cell := &c.Matrix.Cells[i]
		for _, r := range c.Matrix.Rows {
			if r.Impl == lock && r.Name == cell.Row {
				k.add(cell.Row, cell.Column, cell.Found()...)
			}
		}
	}
}

// Depart compares each mutant of a record with the specification of its lock, in one run of each
// scenario, and records the first departure.
func (c Campaign) Depart(ctx context.Context, r *Record) error {
	once := c
	once.Aimed, once.Drawn, once.Known = 1, 0, r.Known
	asked, err := once.Run(ctx, nil)
	if err != nil {
		return err
	}
	for i := range r.Mutants {
		r.Mutants[i].Departs = ""
		if x := asked.lookup(r.Mutants[i].Mutant); x != nil {
			r.Mutants[i].Departs = x.Departs
		}
	}
	return nil
}

// Learn tests the original locks of a record. It removes every finding that the original lock shows
// as well.
func (c Campaign) Learn(ctx context.Context, r *Record) error {
	program, mutants, clean, err := c.build()
	if err != nil {
		return err
	}
	defer clean()
	known, err := c.asTheyAre(ctx, program, mutants)
	if err != nil {
		return err
	}
	for lock, k := range known {
		for key, letters := range k {
			row, fault, _ := strings.Cut(key, "|")
			if r.Known[lock] == nil {
				r.Known[lock] = Known{}
			}
			r.Known[lock].add(row, fault, letters...)
		}
	}
	r.takeBack()
	return nil
}

// confirm returns the findings that the original lock does not show.
func (k Known) confirm(all []Finding) (kept []Finding) {
	for _, f := range all {
		if f.Letters = k.newLetters(f.Row, f.Fault, f.Letters); len(f.Letters) > 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// testAll tests the mutants in parallel.
func (c Campaign) testAll(ctx context.Context, program string, mutants []mutate.Mutant,
	record, old *Record) error {
	var wanted []int
	for i, m := range mutants {
		if c.Ask == nil || c.Ask(m) {
			wanted = append(wanted, i)
		}
	}
	answers := make([]*Result, len(mutants))
	var mu sync.Mutex
	done := 0
	err := each(c.Jobs, len(wanted), func(n int) error {
		i := wanted[n]
		m := mutants[i]
		r, err := ask(ctx, program, i+1, Question{Lock: m.Lock, Aimed: c.Aimed, Drawn: c.Drawn,
			Seed:  seed,
			Known: record.Known[m.Lock], Limit: limit, RunLimit: runLimit + c.Drawn*mostOfSeed})
		if err != nil {
			return fmt.Errorf("%s: %w", m.Key(), err)
		}
		r.Mutant = m
		mu.Lock()
		defer mu.Unlock()
		answers[i] = &r
		if done++; c.Tell != nil {
			c.Tell(done, len(wanted), r)
		}
		return nil
	})
	for i, r := range answers {
		if r == nil {
			r = old.lookup(mutants[i])
		}
		if r != nil {
			record.Mutants = append(record.Mutants, *r)
		}
	}
	return err
}

// each calls f for 0 to n-1, several at the same time, and returns the first error.
func each(jobs, n int, f func(i int) error) (first error) {
	var mu sync.Mutex
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next >= n || first != nil {
			return -1
		}
		next++
		return next - 1
	}
	var all sync.WaitGroup
	for range max(jobs, 1) {
		all.Go(func() {
			for i := take(); i >= 0; i = take() {
				if err := f(i); err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return first
}
