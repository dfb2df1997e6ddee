// Command detect finds out which mutants of the locks the harness detects. It writes
// lab/results/detection.json.gz and the pages next to it. Run it in the directory lab: go run
// ./mutate/detect.
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
	"strings"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/lab/mutate"
	"github.com/lockbench/lockbench/lab/mutate/detection"
	"github.com/lockbench/lockbench/lab/study"
)

// options holds the flags.
type options struct {
	docs          string
	missing, deep bool
	pages, learn  bool
	departs       bool
	times         bool
	locks, keys   string
	campaign      detection.Campaign
}

func main() {
	var o options
	flag.StringVar(&o.docs, "results", "results", "directory of records and pages")
	flag.BoolVar(&o.missing, "missing", false, "ask only the mutants that the record does not have")
	flag.BoolVar(&o.deep, "deepen", false, "ask only those again that were not found")
	flag.BoolVar(&o.pages, "pages", false, "ask nothing: write the lines and the pages anew")
	flag.BoolVar(&o.learn, "learn", false, "ask only the locks as they are, and take findings back")
	flag.BoolVar(&o.departs, "departs", false,
		"ask only what departs from the locks' specifications, and keep what else the record says")
	flag.BoolVar(&o.times, "times", false,
		"ask only without an aim how long it takes, and keep what else the record says")
	flag.StringVar(&o.locks, "locks", "", "ask only the mutants of these locks, separated by commas")
	flag.StringVar(&o.keys, "keys", "", "ask only the mutants whose key contains this")
	flag.IntVar(&o.campaign.Aimed, "aimed", 3, "runs of each scenario at most")
	flag.IntVar(&o.campaign.Drawn, "drawn", 48, "seeds of each fault at most")
	flag.IntVar(&o.campaign.AsItIsAimed, "known-aimed", 60, "the same, of the locks as they are")
	flag.IntVar(&o.campaign.AsItIsDrawn, "known-drawn", 20, "the same, of the locks as they are")
	flag.IntVar(&o.campaign.Jobs, "jobs", 2, "processes at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	old, err := read(o.docs, detection.File, detection.Read)
	if err != nil {
		return err
	}
	if o.pages {
		if err := old.Refresh(".."); err != nil {
			return err
		}
		return o.write(old)
	}
	c := o.campaign
	c.Root, c.Ask, c.Tell = "..", o.selectMutants(old), tell
	if c.Matrix, err = read(o.docs, "matrix.json", matrix.Read); err != nil {
		return err
	}
	if o.learn && old != nil {
		return errors.Join(c.Learn(ctx, old), o.write(old))
	}
	if o.departs && old != nil {
		return errors.Join(c.Depart(ctx, old), o.write(old))
	}
	if o.times && old != nil {
		return errors.Join(c.Clock(ctx, old), o.write(old))
	}
	if old != nil && (o.missing || o.deep) {
		c.Known = old.Known
	}
	r, err := c.Run(ctx, old)
	if r == nil {
		return err
	}
	return errors.Join(err, o.write(r))
}

// write writes the record and the pages.
func (o options) write(r *detection.Record) error {
	return errors.Join(records.Write(o.docs, detection.File, func(f io.Writer) error {
		return r.Write(f)
	}), study.WritePages(o.docs))
}

// selectMutants returns a function that reports whether a mutant is tested.
func (o options) selectMutants(old *detection.Record) func(mutate.Mutant) bool {
	has, found := map[string]bool{}, map[string]bool{}
	if old != nil {
		for _, m := range old.Mutants {
			has[m.Key()], found[m.Key()] = true, m.Noticed()
			if o.times {
				found[m.Key()] = len(m.Drawn) > 0
			}
			if why := detection.ReasonOf(m); why != nil && why.Class == detection.Equivalent {
				found[m.Key()] = true // it cannot be
			}
		}
	}
	locks := strings.Split(o.locks, ",")
	return func(m mutate.Mutant) bool {
		return (o.locks == "" || slices.Contains(locks, m.Lock)) && strings.Contains(m.Key(), o.keys) &&
			(!o.missing || !has[m.Key()]) && (!o.deep || !found[m.Key()])
	}
}

// read reads a document. It returns nil if the document does not exist.
func read[T any](dir, name string, by func(io.Reader) (*T, error)) (*T, error) {
	f, err := records.Open(os.DirFS(dir), name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	return by(f)
}

func tell(done, all int, r detection.Result) {
	fmt.Fprintf(os.Stderr, "%s %d/%d %s:%d %s: %s → %s: %v %v %s %s %s (%d runs)\n",
		time.Now().Format("15:04:05"), done, all, r.Lock, r.Line, r.Operator, r.Old, r.New, r.Aimed,
		r.Drawn, r.End, r.Words, r.Departs, r.Runs)
}
