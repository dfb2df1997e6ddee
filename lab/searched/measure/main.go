// Command measure measures searches without an aim and writes the tables of lab/results/search.md.
// Run it in the root of the repository: cd lab && go run ./searched/measure -hits 2000.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"github.com/lockbench/lockbench/lab/records"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/lab/mutate/detection"
	"github.com/lockbench/lockbench/lab/searched"
	"github.com/lockbench/lockbench/lab/study"
)

// options holds the flags.
type options struct {
	docs    string
	hits    int
	jobs    int
	missing bool
	times   time.Duration
	each    int
	sleep   int
	// a directory with what explore printed for each library
	programs string
}

func main() {
	var o options
	flag.StringVar(&o.docs, "results", "results", "directory of records and pages")
	flag.IntVar(&o.hits, "hits", 0, "seeds of each cell and schedule to count hits; 0 counts none")
	flag.IntVar(&o.jobs, "jobs", 2, "runs at the same time, where hits are counted")
	flag.DurationVar(&o.times, "times", 0, "processor time for each letter; 0 measures none")
	flag.IntVar(&o.each, "each", 1, "measure only every so many letters")
	flag.BoolVar(&o.missing, "missing", false, "measure only what the record does not have")
	flag.IntVar(&o.sleep, "sleep", 0,
		"most schedules for measuring the savings of sleep sets; 0 measures none")
	flag.StringVar(&o.programs, "programs", "",
		"directory with the JSON of lockbench explore in a file ADAPTER.VARIANT.json for each library")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	r, err := searched.Read(os.DirFS(o.docs))
	if err != nil {
		return err
	}
	if o.hits > 0 {
		if err := o.count(ctx, r); err != nil {
			return err
		}
	}
	if o.times > 0 {
		if err := o.clock(ctx, r); err != nil {
			return err
		}
	}
	if o.programs != "" {
		libraries, err := o.matrix("libraries.json")
		if err != nil {
			return err
		}
		if r.Programs, err = searched.ReadPrograms(o.programs, libraries); err != nil {
			return err
		}
	}
	if o.sleep > 0 {
		if err := o.saved(ctx); err != nil {
			return err
		}
	}
	return r.Write(o.docs)
}

// saved measures the savings of sleep sets and writes the pages.
func (o options) saved(ctx context.Context) error {
	book, err := study.ReadBook(os.DirFS(o.docs))
	if err != nil {
		return err
	}
	d, err := book.Exhaustive.MeasureSleep(ctx, o.sleep, detection.ProcessorTime,
		func(s study.Saving) {
			fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05"), s.Row, s.Column, s.With, s.Without)
		})
	if err != nil {
		return err
	}
	return errors.Join(records.Write(o.docs, study.SleepFile, func(f io.Writer) error {
		return batch.WriteLine(f, d)
	}), study.WritePages(o.docs))
}

// count counts the hits of searched.Rare.
func (o options) count(ctx context.Context, r *searched.Record) error {
	for _, c := range searched.Rare() {
		if o.missing && slices.ContainsFunc(r.Hits, func(h searched.Hits) bool {
			return h.Cell == c && h.Seeds == o.hits
		}) {
			continue
		}
		h, err := searched.Count(ctx, c, o.hits, o.jobs, explore.Schedules()...)
		if err != nil {
			return err
		}
		tell(c, h.Found)
		r.Counted(h)
		if err := r.Write(o.docs); err != nil {
			return err
		}
	}
	return nil
}

// matrix reads a matrix in the directory of records.
func (o options) matrix(name string) (*matrix.Matrix, error) {
	f, err := records.Open(os.DirFS(o.docs), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return matrix.Read(f)
}

// clock measures how long it takes to find each violation of the matrix.
func (o options) clock(ctx context.Context, r *searched.Record) error {
	m, err := o.matrix("matrix.json")
	if err != nil {
		return err
	}
	all := searched.Violated(m)
	for i := 0; i < len(all); i += max(o.each, 1) {
		c := all[i]
		if o.missing && slices.ContainsFunc(r.Times, func(t searched.Time) bool { return t.Cell == c }) {
			continue
		}
		t, err := searched.Clock(ctx, c, o.times, detection.ProcessorTime)
		if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err) // the simulator does not support this fault for the lock
			continue
		}
		tell(c, fmt.Sprintf("found %v in %d runs, %d ms", t.Found, t.Runs, t.Millis))
		r.Clocked(t, all)
		if err := r.Write(o.docs); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func tell(c searched.Cell, what any) {
	fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05"), c, what)
}
