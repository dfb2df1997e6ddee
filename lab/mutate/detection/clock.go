package detection

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/lab/mutate"
)

// asItIs is how many seeds of a fault a lock as it is has, where a mutant was found, unless a
// campaign says another number.
const asItIs = 4000

// Clock asks the mutants of a record without an aim, and notes how long it took to find each. What
// a mutant shows is asked of the lock as it is: if that shows it, too, it is known from then on,
// and the mutant is asked again.
func (c Campaign) Clock(ctx context.Context, r *Record) error {
	program, mutants, clean, err := c.build()
	if err != nil {
		return err
	}
	defer clean()
	defer r.takeBack() // also of a clock that was stopped: what was learned until then is kept
	c.Aimed = 0
	own, checked := c.Ask, map[string]int{}
	for again := map[string]bool{}; ; {
		asked := &Record{Known: r.Known}
		if err := c.all(ctx, program, mutants, asked, nil); err != nil {
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

// learn asks the lock as it is for what a mutant shows, once for each. What it shows under one
// fault it may show under others: they are asked for next, so that few mutants are asked in vain.
// Checked has with how many seeds each was asked.
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
		// a fault that it cannot have shows nothing
		hits, _, _ := w.search([]string{letter}, 0, seeds).Find(ctx)
		if len(hits) > 0 {
			r.Known[x.Lock].add(w.row, w.fault, letter)
		}
		return len(hits) > 0
	}
	for _, f := range x.Drawn {
		for _, letter := range f.Letters {
			i := slices.IndexFunc(all, func(w wish) bool { return w.row == f.Row && w.fault == f.Fault })
			if i < 0 || !shows(all[i], letter, cmp.Or(c.AsItIs, asItIs)) {
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

// find is the mutant of a record with a key.
func (r *Record) find(key string) *Result {
	for i := range r.Mutants {
		if r.Mutants[i].Key() == key {
			return &r.Mutants[i]
		}
	}
	return &Result{}
}
