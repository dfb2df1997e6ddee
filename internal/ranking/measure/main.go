// Command measure measures how fast the locks of several systems are, and writes docs/systems.md.
// Run it in the root of the repository, on a machine that does nothing else:
// go run ./internal/ranking/measure.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/ranking"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
)

// hold is so short that the lock itself is what takes time.
const hold = time.Millisecond

func main() {
	docs := flag.String("docs", "docs", "directory of pages")
	runs := flag.Int("runs", 5, "of each lock, for each number of clients")
	each := flag.Duration("for", 2*time.Second, "how long each run is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := measure(ctx, *runs, *each)
	if err == nil {
		err = r.Write(*docs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure runs all locks by turns, so that what else the machine does hits all of them.
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
				h, err := run(ctx, l, clients, each, filepath.Join(dir, fmt.Sprint(i, key)))
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

// run is one run without a fault.
func run(ctx context.Context, l ranking.Lock, clients int, each time.Duration, dir string) (
	*history.History, error) {
	o := harness.RunOptions{Impl: l.Impl, Adapter: l.Adapter, Variant: l.Variant, Nemesis: "none",
		Environment: runner.Process, Clients: clients, TTL: 2 * time.Second, Hold: hold, For: each,
		Think: time.Nanosecond, Properties: []string{"S"}, Thorough: true, Seed: 1}
	p, _, err := runner.Prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	p.Requires.Contended = 1 << 20 // the run goes on until its time is over
	if _, err := runner.Run(ctx, p, runner.Options{Dir: dir}); err != nil {
		return nil, err
	}
	recorded, err := store.Load(dir)
	return recorded.History, err
}
