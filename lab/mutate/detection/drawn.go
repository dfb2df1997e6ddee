package detection

import (
	"context"
	"slices"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/workloads"
)

// rounds are how many seeds of each fault have been tried at the end of a round. First every fault
// has a few: what is found, is found with few seeds mostly.
var rounds = []int{6, 24}

// wish is what a search without an aim is of: a row under a fault, or with another workload without
// one.
type wish struct {
	row, fault string
	options    harness.RunOptions
}

// wishes are all of a lock.
func wishes(lock string) (all []wish, err error) {
	rows, columns, err := matrix.RowsAndColumns([]string{lock}, nil)
	if err != nil {
		return nil, err
	}
	about, err := impls.Find(rows[0].Impl)
	for _, r := range rows {
		for _, c := range columns {
			if matrix.Impossible(r, c) == "" {
				all = append(all, wish{r.Name, c.Name, r.Options(c.Fault())})
			}
		}
		for _, w := range otherWorkloads(about, r) {
			o := r.Options(noFault)
			o.Workload = w
			all = append(all, wish{r.Name, workloadPrefix + w, o})
		}
	}
	return all, err
}

// workloadPrefix begins what stands for a fault where a workload is tried without one.
const workloadPrefix = "workload "

// otherWorkloads are those that a lock can have, and a row does not have in the matrix.
func otherWorkloads(lock impls.Entry, r matrix.Row) (names []string) {
	for _, w := range workloads.All() {
		if w.Name != r.Workload && w.Name != workloads.Mutex &&
			workloads.Suits(lock, w.Name, w.Keys) == nil {
			names = append(names, w.Name)
		}
	}
	return names
}

// search looks for some letters, with some seeds.
func (w wish) search(letters []string, from, seeds int) explore.Search {
	s := explore.Search{Options: w.options, Properties: letters, Schedule: explore.Portfolio,
		Moments: explore.Drawn, Seeds: seeds, Jobs: 1}
	s.Options.Seed = seed + uint64(from)
	return s
}

// drawn searches with moments that are drawn, under every fault that has such a form. It ends with
// the first finding; without known letters it finds what there is.
func (a *answering) drawn(ctx context.Context) error {
	all, err := wishes(a.Lock)
	began, from := a.used(), 0
	for i := 0; err == nil && from < a.Drawn; i++ {
		to := a.Drawn
		if i < len(rounds) && a.Known != nil {
			to = min(to, rounds[i])
		}
		for _, w := range all {
			if a.search(ctx, w, from, to-from, began) && a.Known != nil {
				return nil
			}
		}
		from = to
	}
	return err
}

// search looks for the letters that the lock does not show as it is, one after the other.
func (a *answering) search(ctx context.Context, w wish, from, seeds int, began time.Duration) (
	any bool) {
	at := Line{Row: w.row, Fault: w.fault, Drawn: true}
	wanted := a.Known.fresh(w.row, w.fault, letters())
	for len(wanted) > 0 {
		a.announce(at)
		hits, done, err := w.search(wanted, from, seeds).Find(ctx)
		a.runs += done.Runs
		if err != nil {
			at.Broken = err.Error()
			a.say(at)
		}
		if err != nil || len(hits) == 0 {
			break
		}
		any = true
		hit := at
		hit.Letters, hit.Millis = []string{hits[0].Property}, (a.used() - began).Milliseconds()
		a.say(hit)
		if a.Known != nil {
			break
		}
		wanted = slices.DeleteFunc(wanted, func(l string) bool { return l == hits[0].Property })
	}
	return any
}
