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
	p.paragraph("A *cell* is one lock under one fault. A letter in it is a property that a schedule " +
		"violated ([the letters](verdicts.md#the-letters)).")
	p.paragraph("**The answer.** %d of %d cells have exactly the [expected "+
		"letters](../../docs/locks/expected.md). %d of %d have exactly the letters that runs on real "+
		"Redis found ([verdicts.md](verdicts.md)). In %d of %d cells the simulator tried at least "+
		"every order without a preemption, of 2 clients with 2 rounds each and of 3 clients with 1 "+
		"round each. The expectation has "+
		"[the same clients and rounds](../../docs/locks/expected.md#the-two-spaces). The page of a lock "+
		"explains each difference.%s",
		n.agree, n.known, n.same, n.measured, n.finished, n.all, sentence(d.Partial))
	p.paragraph("A *schedule* is one order of the commands, replies and wake-ups of all clients, "+
		"with the fault at one place. The simulator tried all schedules within bounds that grow "+
		"([explore.md](../../docs/explore.md#everything-within-bounds)). `lab exhaustive --each %d` "+
		"ran %s schedules in %s and wrote this page.", d.Each, units.Thousands(n.schedules),
		d.Took.D().Round(time.Second))
	d.table(p, "verdicts/")
	p.items([]string{
		"\"-\": no letter. **Bold**: found and not expected. ~~Struck out~~: expected and not found. " +
			"Empty: the fault is not possible for the lock.",
		"The small numbers count *preemptions*: how often a client that could go on had to wait for " +
			"another one. \"2·1\" means that the simulator tried every order with up to 2 preemptions for " +
			"2 clients with 2 rounds, and with up to 1 for 3 clients with 1 round. \"–\" means that it " +
			"did not finish even the orders without a preemption. A number in brackets is then for 2 " +
			"clients with 1 round.",
		"A client tries at most 8 times to acquire the lock. A lease lasts three ticks. A client works " +
			"for one tick, and waits for one tick between two tries.",
	})
	d.writeOpen(p, b.Sleep)
	b.Sleep.savings(p, d)
	p.heading(2, "Compared with real Redis")
	p.paragraph(
		"\"+S\": the simulator found S, and no run on Redis did. \"−S\": a run on Redis found S, and " +
			"the simulator did not. \"·\": the simulator did not finish the cell. \"?\": the cell was not " +
			"run on Redis. \"-\": nothing differs. The page of a lock has the reasons.")
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
	p.paragraph("Sleep sets are a way to skip schedules: the search tries only one order of two "+
		"steps that are independent of each other. The table counts the schedules of 2 clients with 2 "+
		"rounds and no preemption, with merged states (`cd lab && go run ./searched/measure -sleep "+
		"%d`). %d cells end below %s schedules both with and without sleep sets. There, sleep sets "+
		"leave %s of %s schedules, and save %s.",
		d.Limit, cells, units.Thousands(d.Limit), units.Thousands(with),
		units.Thousands(without), percent(without-with, without))
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
	p.paragraph("A *space* is all schedules within some bounds: \"3×1 to 0\" has 3 clients with 1 " +
		"round and up to 0 preemptions. The table has the smallest unfinished space of each cell. " +
		"*Schedules known* also counts the branches that the search knows but did not try. The whole " +
		"space may have more: other spaces had one to three times as many when they were finished. " +
		"*Processor time* is the time for the known schedules, estimated from the schedules of 2 " +
		"clients with 2 rounds.")
	p.head("lock", "fault", "space", "schedules run", "schedules known", "processor time")
	for _, row := range rows {
		p.row(row...)
	}
}
