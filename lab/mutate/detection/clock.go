package detection

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/lab/mutate"
)

// asItIs is the default number of seeds for the original lock under a fault that found a mutant.
// The runs of random faults are long, so they get one of slower.
const (
	asItIs = 4000
	slower = 20
)

// seedsFor returns the number of seeds for the original lock under a fault.
func (c Campaign) seedsFor(fault string) int {
	seeds := cmp.Or(c.AsItIs, asItIs)
	if fault == randomFaults {
		seeds /= slower
	}
	return seeds
}

// Clock tests the mutants of a record without an aim, and records how long it takes to find each of
// them. It also tests the original lock for the violations of a mutant. If the lock shows one as
// well, it becomes known, and the mutant is tested again.
func (c Campaign) Clock(ctx context.Context, r *Record) error {
	program, mutants, clean, err := c.build()
	if err != nil {
		return err
	}
	defer clean()
	defer r.takeBack() // even if it is stopped, to keep the new knowledge
	c.Aimed = 0
	own, checked := c.Ask, map[string]int{}
	for again := map[string]bool{}; ; {
		asked := &Record{Known: r.Known}
		if err := c.testAll(ctx, program, mutants, asked, nil); err != nil {
			return err
		}
		clear(again)
		for i := range asked.Mutants {
			x := &asked.Mutants[i]
			if err := c.learn(ctx, r, x, checked); err != nil {
				return err
			}
			m := r.find(x.Key())
			was := len(x.Drawn)
			if m.Drawn = r.Known[m.Lock].confirm(x.Drawn); len(m.Drawn) == 0 {
				x.DrawnMillis = 0
			}
			m.DrawnMillis, m.DrawnOpen = x.DrawnMillis, len(m.Drawn) < was
			again[x.Key()] = m.DrawnOpen
		}
		c.Ask = func(m mutate.Mutant) bool { return again[m.Key()] && (own == nil || own(m)) }
		if !anyOf(again) {
			return nil
		}
	}
}

func anyOf(keys map[string]bool) (some bool) {
	for _, is := range keys {
		some = some || is
	}
	return some
}

// learn tests the original lock for the violations of a mutant, once for each. A lock that shows
// one under some fault may show it under others. These are tested next, so that fewer mutants are
// tested in vain. Checked holds the number of seeds of each test.
func (c Campaign) learn(ctx context.Context, r *Record, x *Result, checked map[string]int) error {
	all, err := wishes(x.Lock)
	if err != nil {
		return err
	}
	shows := func(w wish, letter string, seeds int) bool {
		key := fmt.Sprint(w.row, w.fault, letter)
		if checked[key] >= seeds {
			return false
		}
		checked[key] = seeds
		// a fault that the lock does not support shows nothing
		hits, _, _ := w.search([]string{letter}, 0, seeds).Find(ctx)
		if len(hits) > 0 {
			r.Known[x.Lock].add(w.row, w.fault, letter)
		}
		return len(hits) > 0
	}
	for _, f := range x.Drawn {
		for _, letter := range f.Letters {
			i := slices.IndexFunc(all, func(w wish) bool { return w.row == f.Row && w.fault == f.Fault })
			if i < 0 || !shows(all[i], letter, c.seedsFor(f.Fault)) {
				continue
			}
			for _, w := range all {
				if w.row == f.Row {
					shows(w, letter, c.Drawn)
				}
			}
		}
	}
	return ctx.Err()
}

// find returns the mutant with a key, or an empty result.
func (r *Record) find(key string) *Result {
	for i := range r.Mutants {
		if r.Mutants[i].Key() == key {
			return &r.Mutants[i]
		}
	}
	return &Result{}
}
