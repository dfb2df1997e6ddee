// Command measure measures the speed of the locks of several systems and writes
// lab/results/systems.md. Run it in the root of the repository, on a machine that does nothing
// else: cd lab && go run ./ranking/measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"github.com/lockbench/lockbench/lab/records"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/ranking"
)

// hold is so short that the lock itself takes most of the time.
const hold = time.Millisecond

func main() {
	docs := flag.String("results", "results", "directory of records and pages")
	runs := flag.Int("runs", 5, "of each lock, for each number of clients")
	each := flag.Duration("for", 2*time.Second, "how long each run is")
	only := flag.Bool("woken", false, "renew only how many clients a release wakes, since it does "+
		"not depend on the load")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var r *ranking.Record
	var err error
	if *only {
		r, err = recorded(*docs)
	} else {
		r, err = measure(ctx, *runs, *each)
	}
	if err == nil {
		err = count(ctx, r, *runs, *each)
	}
	if err == nil {
		err = r.Write(*docs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure alternates between the locks, so that disturbances of the machine affect all of them.
func measure(ctx context.Context, runs int, each time.Duration) (*ranking.Record, error) {
	dir, err := os.MkdirTemp("", "lockbench-ranking-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &ranking.Record{Format: 1, For: history.Duration(each), Hold: history.Duration(hold),
		Runs: runs, Versions: map[string]string{}}
	seen := map[string][]*history.History{}
	for i := range runs {
		for _, l := range ranking.Locks {
			for _, clients := range ranking.Clients {
				key := l.Name() + strconv.Itoa(clients)
				h, err := run(ctx, l, clients, each, filepath.Join(dir, fmt.Sprint(i, key)), nil)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", l.Name(), err)
				}
				seen[key] = append(seen[key], h)
				maps.Copy(r.Versions, h.Header.Versions)
				r.Machine = h.Header.Machine
			}
			fmt.Fprintln(os.Stderr, time.Now().Format("15:04:05"), i+1, "of", runs, l.Name())
		}
	}
	for _, l := range ranking.Locks {
		row := ranking.Row{Lock: l}
		for _, clients := range ranking.Clients {
			row.Speeds = append(row.Speeds, ranking.Measure(clients,
				seen[l.Name()+strconv.Itoa(clients)]))
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// recorded reads the record in docs.
func recorded(docs string) (*ranking.Record, error) {
	f, err := records.Open(os.DirFS(docs), ranking.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ranking.Read(f)
}

// count measures in separate runs how many waiting clients a release wakes, if the servers count
// it.
func count(ctx context.Context, r *ranking.Record, runs int, each time.Duration) error {
	dir, err := os.MkdirTemp("", "lockbench-woken-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, row := range r.Rows {
		if !ranking.CountsWoken(row.System) {
			continue
		}
		for j, clients := range ranking.Clients {
			woken, grants := int64(0), 0
			for n := range runs {
				var counted error
				h, err := run(ctx, row.Lock, clients, each, filepath.Join(dir, fmt.Sprint(i, j, n)),
					func(e *runner.Environment) {
						var one int64
						one, counted = e.Woken()
						woken += one
					})
				if err = errors.Join(err, counted); err != nil {
					return fmt.Errorf("%s: %w", row.Name(), err)
				}
				grants += ranking.Measure(clients, []*history.History{h}).Grants
			}
			row.Speeds[j].SetWoken(woken, grants)
			fmt.Fprintln(os.Stderr, row.Name(), "with", clients, "clients: woken", woken, "grants", grants)
		}
	}
	return nil
}

// run executes a run without a fault. If ended is not nil, it is called before the servers stop.
func run(ctx context.Context, l ranking.Lock, clients int, each time.Duration, dir string,
	ended func(*runner.Environment)) (*history.History, error) {
	o := harness.RunOptions{Impl: l.Impl, Adapter: l.Adapter, Variant: l.Variant, Nemesis: "none",
		Environment: runner.Process, Clients: clients, TTL: 2 * time.Second, Hold: hold, For: each,
		Think: time.Nanosecond, Properties: []string{"S"}, Thorough: true, Seed: 1}
	p, _, err := runner.Prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	p.Requires.Contended = 1 << 20 // the run goes on until its time is over
	if _, err := runner.Run(ctx, p, runner.Options{Dir: dir, Ended: ended}); err != nil {
		return nil, err
	}
	recorded, err := store.Load(dir)
	return recorded.History, err
}
