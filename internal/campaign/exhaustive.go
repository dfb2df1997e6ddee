package campaign

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/workloads"
)

// Decision is a cell of the table that was gone through in the simulator, order by order.
type Decision struct {
	Row        string            `json:"row"`
	Column     string            `json:"column"`
	Impossible string            `json:"impossible,omitempty"`
	Expected   []string          `json:"expected"`
	Known      bool              `json:"known"`
	Found      []explore.Hit     `json:"-"`
	Letters    []string          `json:"letters"`
	Words      map[string]string `json:"words,omitempty"` // of each letter, the counterexample
	Spaces     []explore.Covered `json:"spaces"`          // what was gone through
	Whole      int               `json:"whole"`           // the largest number of preemptions whose spaces were finished; -1: none
	Broke      string            `json:"broke,omitempty"`
}

// Agrees reports whether exactly what was expected was found.
func (d Decision) Agrees() bool { return d.Known && slices.Equal(d.Letters, d.Expected) }

// Exhausting says how much is gone through.
type Exhausting struct {
	Rows    []string // by name; all
	Columns []string // by name; all
	Each    int      // schedules of each cell at most
	Jobs    int
	Deepest int // preemptions at most
	Tell    func(done, all int, d Decision)
}

// spaces are the bounds of a cell, as LOCKS.md §3 has them: two clients twice and three clients once.
var spaces = []explore.Bounds{{Clients: 2, Rounds: 2, Tries: 6}, {Clients: 3, Rounds: 1, Tries: 6}}

// Decide goes through the cells of LOCKS.md §3. Cells come in the order of the table.
func (x Exhausting) Decide(ctx context.Context) ([]Decision, error) {
	rs, err := find("lock", rows, func(r Row) string { return r.Name }, x.Rows)
	if err != nil {
		return nil, err
	}
	cs, err := find("fault", columns, func(c Column) string { return c.Name }, x.Columns)
	if err != nil {
		return nil, err
	}
	var all []Decision
	type cell struct {
		r Row
		c Column
	}
	var cells []cell
	for _, r := range rs {
		for _, c := range cs {
			d := Decision{Row: r.Name, Column: c.Name, Impossible: beyond(r, c), Whole: -1, Words: map[string]string{}}
			d.Expected, d.Known = Expected(r.Name, c.Name)
			all, cells = append(all, d), append(cells, cell{r, c})
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, done := 0, 0
	for range max(x.Jobs, 1) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(all) || ctx.Err() != nil {
					return
				}
				if all[i].Impossible == "" {
					x.cell(ctx, &all[i], cells[i].r, cells[i].c)
				}
				mu.Lock()
				if done++; x.Tell != nil {
					x.Tell(done, len(all), all[i])
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return all, ctx.Err()
}

// beyond says why a cell cannot be gone through; "" if it can.
func beyond(r Row, c Column) string {
	if why := impossible(r, c); why != "" {
		return why
	}
	if c.Name != "none" && c.Name != "longwork" && !slices.Contains(explore.AnywhereFaults(), strings.TrimRight(c.Name, "+-")) {
		return "the fault has no form that can strike at any place"
	}
	return ""
}

// cell deepens: first without a preemption, then with one, and so on while there is time.
func (x Exhausting) cell(ctx context.Context, d *Decision, r Row, c Column) {
	left := x.Each
	for p := 0; p <= x.Deepest && left > 0; p++ {
		whole := true
		for i, b := range spaces {
			b.Preemptions = p
			e := space(r, c, b)
			e.Limit = max(left/(len(spaces)-i), 1)
			hits, covered, _, err := e.Find(ctx)
			if err != nil {
				d.Broke = err.Error()
				return
			}
			d.take(hits)
			d.Spaces = append(d.Spaces, covered)
			left -= covered.Schedules + covered.Merged
			whole = whole && covered.Whole
		}
		if !whole {
			return
		}
		d.Whole = p
	}
}

// take notes the letters of hits.
func (d *Decision) take(hits []explore.Hit) {
	for _, h := range hits {
		if d.Words[h.Property] == "" {
			d.Words[h.Property] = h.Words
			d.Letters = inOrder(append(d.Letters, h.Property))
		}
	}
}

// space is the search of a cell within bounds.
func space(r Row, c Column, b explore.Bounds) explore.Exhaustive {
	w := harness.Wish{Impl: r.Impl, Variant: r.Variant, NoWatchdog: r.NoWatchdog, Masters: r.Masters, Workload: r.Workload, Nemesis: "none"}
	switch c.Name {
	case "none":
	case "longwork":
		w.Workload = workloads.LongWork
	default:
		w.Nemesis, b.Faults = c.Name, 1
		if sign := c.Name[len(c.Name)-1:]; sign == "+" || sign == "-" {
			w.Nemesis = c.Name[:len(c.Name)-1] + ":" + sign
		}
		if r.has(watchdog) && r.Workload == "" { // what its row in LOCKS.md supposes
			w.Workload = workloads.LongWork
		}
	}
	return explore.Exhaustive{Wish: w, Properties: Letters, Bounds: b, KeepGoing: true, Jobs: 1, Pace: explore.Ticks}
}

// Exhaustive writes docs/exhaustive.md.
func Exhaustive(w io.Writer, all []Decision, each int, took time.Duration) error {
	b := bufio.NewWriter(w)
	agree, known, schedules := 0, 0, 0
	for _, d := range all {
		if d.Impossible == "" && d.Known {
			known++
			if d.Agrees() {
				agree++
			}
		}
		for _, s := range d.Spaces {
			schedules += s.Schedules + s.Merged
		}
	}
	fmt.Fprintf(b, `# The table of expected verdicts, order by order

Written by `+"`lockbench explore --matrix --docs docs`"+`. Each cell was gone through in the simulator ([explore.md](explore.md)): every order of commands, replies and
wake-ups of 2 clients with 2 rounds and of 3 clients with 1 round, 6 tries an acquire, one fault at any place, first without a preemption, then with one and with two,
until %d schedules of the cell were run. The expectation is LOCKS.md §3 and, for the rows it lacks, what was reasoned before measuring, as in [verdicts.md](verdicts.md).

%d of %d cells are exactly as expected. %d schedules, %s.

The letters are those of verdicts.md. **Bold**: found and not expected. ~~Struck out~~: expected and not found. The small number is how many preemptions were gone through
to the end: what is not found there is not there. "?": not even all orders without a preemption. Blank: not possible, or the fault cannot strike at any place.

`, each, agree, known, schedules, took.Round(time.Second))
	var names []string
	for _, c := range columns {
		if slices.ContainsFunc(all, func(d Decision) bool { return d.Column == c.Name && d.Impossible == "" }) {
			names = append(names, c.Name)
		}
	}
	fmt.Fprintf(b, "| lock | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, r := range rows {
		line := "| " + r.Name
		any := false
		for _, n := range names {
			line += " | "
			if i := slices.IndexFunc(all, func(d Decision) bool { return d.Row == r.Name && d.Column == n }); i >= 0 && all[i].Impossible == "" {
				line += all[i].text()
				any = true
			}
		}
		if any {
			fmt.Fprintln(b, line+" |")
		}
	}
	fmt.Fprint(b, "\n## Differences\n")
	for _, d := range all {
		d.differences(b)
	}
	return b.Flush()
}

// text is a cell of the table.
func (d Decision) text() string {
	out := ""
	for _, l := range Letters {
		found, expected := slices.Contains(d.Letters, l), slices.Contains(d.Expected, l)
		switch {
		case found && (expected || !d.Known):
			out += l
		case found:
			out += "**" + l + "**"
		case expected:
			out += "~~" + l + "~~"
		}
	}
	if out == "" {
		out = "-"
	}
	if d.Whole < 0 {
		return out + " ?"
	}
	return fmt.Sprintf("%s <sub>%d</sub>", out, d.Whole)
}

func (d Decision) differences(b io.Writer) {
	if !d.Known || d.Impossible != "" || d.Agrees() {
		return
	}
	for _, l := range d.Letters {
		if !slices.Contains(d.Expected, l) {
			fmt.Fprintf(b, "\n- %s, %s: **%s** found. %s\n", d.Row, d.Column, l, oneLine(d.Words[l]))
		}
	}
	for _, l := range d.Expected {
		if slices.Contains(d.Letters, l) {
			continue
		}
		how := "not all orders without a preemption were gone through"
		if d.Whole >= 0 {
			how = fmt.Sprintf("it is in no order with up to %d preemptions within these bounds", d.Whole)
		}
		fmt.Fprintf(b, "\n- %s, %s: ~~%s~~ not found: %s.\n", d.Row, d.Column, l, how)
	}
}
