package study

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// comparison writes the cells that differ from the measurements on Redis.
func (d *ExhaustiveReport) comparison(p *page, measured Measured) {
	p.head("lock", "same", "different")
	d.each(func(r matrix.Row, cells []*ExhaustiveCell) {
		same, different := 0, []string{}
		for _, c := range cells {
			switch text := c.against(measured, d.judged()); text {
			case "":
			case "=", "= ·":
				same++
			default:
				different = append(different, c.Column+" "+text)
			}
		}
		p.row(nameLink(r, "verdicts/"), fmt.Sprint(same), nothing(strings.Join(different, ", ")))
	})
}

// against compares the judged properties of a cell with the measurements.
func (d *ExhaustiveCell) against(measured Measured, judged []string) string {
	if d == nil || len(d.Spaces) == 0 {
		return ""
	}
	real, ok := measured(d.Row, d.Column)
	if !ok {
		return "?"
	}
	out := ""
	for _, l := range judged {
		switch here, there := slices.Contains(d.Properties, l), slices.Contains(real, l); {
		case here && !there:
			out += "+" + l
		case there && !here:
			out += "−" + l
		}
	}
	if out == "" {
		out = "="
	}
	if d.Finished(2, 2) < 0 || d.Finished(3, 1) < 0 {
		out += " ·"
	}
	return out
}

// gap is a property whose results in the simulator and on Redis differ.
type gap struct {
	*ExhaustiveCell
	letter string
	here   bool // the simulator found it
}

// gaps returns the differences from the measurements, in the order of the table.
func (d *ExhaustiveReport) gaps(measured Measured) (out []gap) {
	for i := range d.Cells {
		c := &d.Cells[i]
		real, ok := measured(c.Row, c.Column)
		if !ok || len(c.Spaces) == 0 {
			continue
		}
		for _, l := range d.judged() {
			if here := slices.Contains(c.Properties, l); here != slices.Contains(real, l) {
				out = append(out, gap{c, l, here})
			}
		}
	}
	return out
}

// cause returns the explanation of a difference, or nil.
func (g gap) cause() *explanation {
	return fitting(explanations().Simulator, matrix.Difference{Row: g.Row, Column: g.Column,
		Property: g.letter, Expected: !g.here})
}

// why returns the reason of a difference.
func (g gap) why() string {
	if e := g.cause(); e != nil {
		return e.Reason
	}
	return "Not explained yet."
}

// exhaustive writes lab/results/exhaustive.md, the table as decided by the simulator.
func (b *Book) exhaustive(p *page) {
	d := b.Exhaustive
	n := d.count(b.measured)
	p.heading(1, "The table of expected verdicts, order by order")
	p.paragraph("**The answer.** %d of %d cells have exactly the expected letters "+
		"([locks/expected.md](../../docs/locks/expected.md)), and %d of %d the letters of real Redis "+
		"([verdicts.md](verdicts.md)). In %d of %d cells every order was tried in both [spaces of the "+
		"expectation](../../docs/locks/expected.md#the-two-spaces). The page of a lock explains each "+
		"difference.%s",
		n.agree, n.known, n.same, n.measured, n.finished, n.all, sentence(d.Partial))
	p.paragraph("The simulator tried each cell "+
		"([explore.md](../../docs/explore.md#everything-within-bounds)): "+
		"all orders of commands, replies and wake-ups, and in each order the fault at every place, "+
		"within bounds that grow. `lab exhaustive --each %d` ran %s schedules "+
		"in %s and wrote this page.", d.Each, units.Thousands(n.schedules), d.Took.D().Round(time.Second))
	d.table(p, "verdicts/")
	p.items([]string{
		"[verdicts.md](verdicts.md#the-table) explains the letters. **Bold**: found and not expected. " +
			"~~Struck out~~: expected and not found. Empty: not possible.",
		"The small numbers: every order up to so many preemptions was tried, with 2 clients and 2 " +
			"rounds, and with 3 clients and 1 round. \"–\": not even all orders without a preemption; the " +
			"number in brackets then counts for 2 clients with 1 round.",
		"Each acquire has 8 tries, a lease has three ticks, and clients work and wait for one.",
	})
	d.writeOpen(p, b.Sleep)
	b.Sleep.savings(p, d)
	p.heading(2, "Compared with real Redis")
	p.paragraph(
		"+X: found in the simulator and not on Redis. −X: found on Redis and not in the simulator. " +
			"\"·\": a space of the cell was not finished. \"?\": not run on Redis. The page of a lock has " +
			"the reasons.")
	d.comparison(p, b.measured)
}

// Sleep holds the savings of sleep sets in the first space of docs/locks/expected.md. It is stored
// in sleep.json.
type Sleep struct {
	Format int      `json:"format"`
	Limit  int      `json:"limit"` // most schedules of a search
	Cells  []Saving `json:"cells"`
}

// Saving is the number of schedules of a cell with and without sleep sets; 0 means more than the
// limit.
type Saving struct {
	Row     string `json:"row"`
	Column  string `json:"column"`
	With    int    `json:"with,omitempty"`
	Without int    `json:"without,omitempty"`
	// CPU time of a schedule with sleep sets, in µs
	Micros int64 `json:"us,omitempty"`
}

// ReadSleep reads sleep.json.
func ReadSleep(r io.Reader) (*Sleep, error) { return batch.ReadDocument[Sleep](r, SleepFile) }

// MeasureSleep explores the space of each cell with and without sleep sets. Used returns the CPU
// time of this process.
func (d *ExhaustiveReport) MeasureSleep(ctx context.Context, limit int, used func() time.Duration,
	tell func(Saving)) (*Sleep, error) {
	out := &Sleep{Format: batch.Format, Limit: limit}
	rows, columns, err := matrix.RowsAndColumns(nil, nil)
	for _, r := range rows {
		for _, c := range columns {
			if x := d.Cell(r.Name, c.Name); x == nil || len(x.Spaces) == 0 {
				continue
			}
			s := Saving{Row: r.Name, Column: c.Name}
			x := newSearch(r, c, whole[0])
			x.Limit = limit
			began := used()
			if s.With, err = schedules(ctx, x); err == nil && s.With > 0 {
				s.Micros = (used() - began).Microseconds() / int64(s.With)
				x.Sleepless = true
				s.Without, err = schedules(ctx, x)
			}
			if err != nil {
				return out, err
			}
			out.Cells = append(out.Cells, s)
			tell(s)
		}
	}
	return out, err
}

// schedules returns the number of schedules of a space, or 0 if it was not finished.
func schedules(ctx context.Context, x explore.Exhaustive) (int, error) {
	_, covered, _, err := x.Find(ctx)
	if err != nil || !covered.Whole {
		return 0, ctx.Err()
	}
	return covered.Schedules + covered.Merged, nil
}

// lookup returns the saving of a cell, and whether it was measured.
func (d *Sleep) lookup(row, column string) (Saving, bool) {
	if d == nil {
		return Saving{}, false
	}
	i := slices.IndexFunc(d.Cells, func(s Saving) bool { return s.Row == row && s.Column == column })
	if i < 0 {
		return Saving{}, false
	}
	return d.Cells[i], true
}

// micros returns the mean CPU time of a schedule of a row in µs, or 0 if it was not measured.
func (d *Sleep) micros(row string) (mean int64) {
	schedules := int64(0)
	for i := 0; d != nil && i < len(d.Cells); i++ {
		if s := d.Cells[i]; s.Row == row {
			mean, schedules = mean+s.Micros*int64(s.With), schedules+int64(s.With)
		}
	}
	return mean / max(schedules, 1)
}

// savings writes the savings of sleep sets for each lock.
func (d *Sleep) savings(p *page, report *ExhaustiveReport) {
	if d == nil {
		return
	}
	with, without, cells := 0, 0, 0
	var rows [][]string
	report.each(func(r matrix.Row, all []*ExhaustiveCell) {
		a, b, n := d.sum(all)
		with, without, cells = with+a, without+b, cells+n
		rows = append(rows, []string{nameLink(r, "verdicts/"), fmt.Sprint(n), units.Thousands(a),
			units.Thousands(b), percent(b-a, b)})
	})
	p.heading(2, "What sleep sets save")
	p.paragraph("The schedules of 2 clients with 2 rounds and no preemption, with merged states "+
		"(`cd lab && go run ./searched/measure -sleep %d`). In the %d cells that end below %s "+
		"schedules with and without sleep sets, %s are left of %s: %s are saved.", d.Limit, cells,
		units.Thousands(d.Limit), units.Thousands(with), units.Thousands(without),
		percent(without-with, without))
	p.head("lock", "cells", "with", "without", "saved")
	for _, row := range rows {
		p.row(row...)
	}
}

// sum adds up the schedules of the cells that were finished with and without sleep sets.
func (d *Sleep) sum(all []*ExhaustiveCell) (with, without, cells int) {
	for _, c := range all {
		if c == nil {
			continue
		}
		if s, ok := d.lookup(c.Row, c.Column); ok && s.With > 0 && s.Without > 0 {
			with, without, cells = with+s.With, without+s.Without, cells+1
		}
	}
	return with, without, cells
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// writeOpen writes the spaces that were not finished, with their estimated cost.
func (d *ExhaustiveReport) writeOpen(p *page, sleep *Sleep) {
	rows := [][]string{}
	for i := range d.Cells {
		c := &d.Cells[i]
		if b, s := c.open(); len(c.Spaces) > 0 && b.Clients > 0 {
			tried, known, costs := "0", "", ""
			if s != nil {
				tried = units.Thousands(s.Schedules + s.Merged)
				if s.Known > 0 {
					least := int64(s.Schedules + s.Merged + s.Known)
					known = units.Thousands(int(least))
					if each := sleep.micros(c.Row); each > 0 {
						costs = fmt.Sprintf("%.1f s", float64(least*each)/1e6)
					}
				}
			}
			rows = append(rows, []string{c.Row, c.Column, spaceName(b), tried, known, costs})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading(2, "What is left open")
	p.paragraph("The smallest unfinished space of each cell; \"3×1 to 0\" is every order of 3 " +
		"clients with 1 round and no preemption. *At least* adds the known branches that were " +
		"not tried; spaces that were finished later had one to three times as many schedules. " +
		"The cost is an estimate from the schedules of 2 clients with 2 rounds.")
	p.head("lock", "fault", "space", "schedules run", "at least", "costs at least")
	for _, row := range rows {
		p.row(row...)
	}
}
