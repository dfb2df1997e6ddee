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

// rounds lists the total number of seeds of each fault after each round. The first round has only a
// few, because most findings need few seeds.
var rounds = []int{6, 24}

// wish is one search without an aim: a row under a fault, or with another workload and no fault.
type wish struct {
	row, fault string
	options    harness.RunOptions
}

// randomFaults is the fault whose runs draw their load as well, as `run --nemesis random` does.
const randomFaults = "random:3"

// aimedOnly are the columns that are not searched: their runs are too long, or have no moment that
// could be drawn.
var aimedOnly = []string{"cycles", "crowd", "wakeup"}

// wishes returns all searches for a lock, in each of its forms.
func wishes(lock string) (all []wish, err error) {
	rows, columns, err := matrix.RowsAndColumns([]string{lock}, columnNames())
	if err != nil {
		return nil, err
	}
	about, err := impls.Find(rows[0].Impl)
	rows = append(rows, otherForms(about, rows)...)
	for _, r := range rows {
		for _, c := range columns {
			if matrix.Impossible(r, c) == "" && c.Aims[0].Suits(r) && !slices.Contains(aimedOnly, c.Name) {
				all = append(all, wish{r.Name, c.Name, loaded(r, c)})
			}
		}
		for _, w := range otherWorkloads(about, r) {
			all = append(all, working(r, noFault, w), working(r, "crash", w))
		}
	}
	for _, r := range rows {
		all = append(all, wish{r.Name, randomFaults, r.Options(randomFaults)})
	}
	return all, err
}

// working returns a search with another workload of a row. A crash shows what lease its keys have.
func working(r matrix.Row, fault, workload string) wish {
	o := r.Options(fault)
	o.Workload = workload
	name := workloadPrefix + workload
	if fault != noFault {
		name = fault + ", " + name
	}
	return wish{r.Name, name, o}
}

// columnNames returns the names of all columns: a user's library is also tested in those that the
// matrix of our own locks leaves out.
func columnNames() (names []string) {
	for _, c := range matrix.AllColumns() {
		names = append(names, c.Name)
	}
	return names
}

// loaded returns the options of a search under a column's fault, with the column's own load if it
// has one.
func loaded(r matrix.Row, c matrix.Column) harness.RunOptions {
	if !c.Libraries {
		return r.Options(c.Fault())
	}
	o := matrix.Options{Environment: "sim", TTL: explore.DefaultTTL}.RunOptions(r, c.Aims[0], seed)
	o.Nemesis, o.For, o.Properties, o.Thorough = c.Fault(), 0, nil, false
	return o
}

// workloadPrefix is the start of the text that replaces the fault in a run of a workload without a
// fault.
const workloadPrefix = "workload "

// otherWorkloads returns the workloads that a lock supports but its row in the matrix does not use.
func otherWorkloads(lock impls.Entry, r matrix.Row) (names []string) {
	for _, w := range workloads.All() {
		if w.Name != r.Workload && w.Name != workloads.Mutex &&
			workloads.Suits(lock, w.Name, w.Keys) == nil {
			names = append(names, w.Name)
		}
	}
	return names
}

// search returns a search for some properties with some seeds.
func (w wish) search(letters []string, from, seeds int) explore.Search {
	s := explore.Search{Options: w.options, Properties: letters, Schedule: explore.Portfolio,
		Moments: explore.Drawn, Seeds: seeds, Jobs: 1}
	if w.fault == randomFaults { // its scenario draws the moments
		s.Moments = explore.Aimed
	}
	s.Options.Seed = seed + uint64(from)
	return s
}

// drawn searches with random moments under every fault that supports them. It ends with the first
// finding. If Known is nil, it finds all violations.
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

// search looks for the properties that the original lock does not violate, one after the other.
func (a *answering) search(ctx context.Context, w wish, from, seeds int, began time.Duration) (
	any bool) {
	at := Line{Row: w.row, Fault: w.fault, Drawn: true}
	wanted := a.Known.newLetters(w.row, w.fault, letters())
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
