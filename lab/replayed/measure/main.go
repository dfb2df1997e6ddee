// Command measure searches for a counterexample for each lock and fault of the matrix, replays it
// on real Redis, and writes the table of lab/results/search.md. Run it in the root of the
// repository: cd lab && go run ./replayed/measure -times 20.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/lab/replayed"
	"github.com/lockbench/lockbench/lab/study"
)

// options holds the flags.
type options struct {
	docs, keep, only string
	times, seeds     int
	jobs, searches   int
	missing          bool
}

func main() {
	var o options
	flag.StringVar(&o.docs, "results", "results", "directory of records and pages")
	flag.StringVar(&o.keep, "keep", "store/replayed",
		"directory of counterexamples; a cell whose counterexample is there is not searched again")
	flag.StringVar(&o.only, "only", "", "regular expression; only cells whose \"row, column\" match")
	flag.IntVar(&o.times, "times", 20, "replays of each counterexample; with 0 only search")
	flag.IntVar(&o.seeds, "seeds", 3000, "seeds at most for each letter; 0 searches nothing")
	flag.IntVar(&o.searches, "searches", 2, "searches side by side")
	flag.IntVar(&o.jobs, "jobs", 6, "replays side by side; they mostly wait")
	flag.BoolVar(&o.missing, "missing", false, "replay only what the record does not have so often")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	is, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	b, err := study.ReadBook(os.DirFS(o.docs))
	if err != nil {
		return err
	}
	r, err := replayed.Read(os.DirFS(o.docs))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.keep, 0o755); err != nil {
		return err
	}
	all := replayed.Cells(b)
	cells := slices.DeleteFunc(slices.Clone(all), func(c replayed.Cell) bool {
		x, ok := r.Lookup(c)
		return !is.MatchString(c.Row+", "+c.Column) || o.missing && ok &&
			(x.Refused != "" || x.Confirmed >= o.times)
	})
	var found []replayed.Found
	var mu sync.Mutex
	pool.Each(ctx, o.searches, slices.Values(cells), func(c replayed.Cell) {
		f, kept := replayed.Stored(c, o.keep)
		var err error
		if !kept && o.seeds > 0 {
			f, err = replayed.Find(ctx, c, o.keep, o.seeds)
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil || f.Letter == "" && o.seeds > 0:
			tell(c, "not found", err)
		}
		if err == nil && (f.Letter != "" || o.seeds > 0) {
			found = append(found, f)
		}
	})
	if o.times == 0 {
		return ctx.Err()
	}
	pool.Each(ctx, o.jobs, slices.Values(found), func(f replayed.Found) {
		x, err := replayed.Replay(ctx, f, o.times)
		mu.Lock()
		defer mu.Unlock()
		if tell(f.Row, f.Column, x, x.Dir, err); err != nil {
			return
		}
		r.Put(x, all)
		if err := r.Write(o.docs); err != nil {
			tell(err)
		}
	})
	return cmp.Or(r.Write(o.docs), ctx.Err())
}

func tell(what ...any) {
	fmt.Fprintln(os.Stderr, append([]any{time.Now().Format("15:04:05")}, what...)...)
}
