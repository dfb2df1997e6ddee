package searched

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// Record holds the measurements.
type Record struct {
	Format   int       `json:"format"`
	Hits     []Hits    `json:"hits"`
	Times    []Time    `json:"times"`
	Programs []Program `json:"programs"`
}

// file is the name of the record in the directory docs.
const file = "searched.json"

// Read reads the record in the directory docs. If there is none, it returns an empty record.
func Read(docs fs.FS) (*Record, error) {
	r := &Record{Format: 1}
	return r, Load(docs, file, r)
}

// Lookup returns the hits of a lock and a fault, one for each property.
func (r *Record) Lookup(row, fault string) (all []Hits) {
	for _, h := range r.Hits {
		if h.Row == row && h.Fault == fault {
			all = append(all, h)
		}
	}
	return all
}

// Write writes the record, and its tables into the page.
func (r *Record) Write(docs string) error {
	return Save(docs, file, r, Table{"hits", r.hits()}, Table{"times", r.times()},
		Table{"programs", r.programs()})
}

// Counted adds hits to the record, in the order of Rare.
func (r *Record) Counted(h Hits) {
	put(&r.Hits, h, func(h Hits) Cell { return h.Cell }, Rare())
}

// Clocked adds a time to the record, in the order of the cells of the matrix.
func (r *Record) Clocked(t Time, order []Cell) {
	put(&r.Times, t, func(t Time) Cell { return t.Cell }, order)
}

// put adds or replaces the measurement of a cell.
func put[T any](all *[]T, x T, cell func(T) Cell, order []Cell) {
	*all = append(slices.DeleteFunc(*all, func(o T) bool { return cell(o) == cell(x) }), x)
	slices.SortStableFunc(*all, func(a, b T) int {
		return slices.Index(order, cell(a)) - slices.Index(order, cell(b))
	})
}

// notYet replaces a table without measurements.
const notYet = "\nThis has not been measured yet.\n\n"

// hits returns the table of hits.
func (r *Record) hits() string {
	if len(r.Hits) == 0 {
		return notYet
	}
	b := &strings.Builder{}
	worse := 0
	fmt.Fprintf(b, "\n| lock | fault | letter | %s |\n|---|---|---|%s\n",
		strings.Join(explore.Schedules(), " | "), strings.Repeat("---|", len(explore.Schedules())))
	for _, h := range r.Hits {
		_, best := h.Best()
		fmt.Fprintf(b, "| %s | %s | %s |", h.Row, h.Fault, h.Letter)
		for _, s := range explore.Schedules() {
			n := fmt.Sprint(h.Found[s])
			if s != explore.Portfolio && best > 0 && h.Found[s] == best {
				n = "**" + n + "**"
			}
			fmt.Fprintf(b, " %s |", n)
		}
		if h.WorseThanThird() {
			worse++
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "\nThese are %s, with %s seeds for each number; the best member is bold. In %s "+
		"the portfolio\nfinds less than a third of its best member, by 95 %% confidence.\n\n",
		units.Count(len(r.Hits), "cell"), units.Thousands(r.Hits[0].Seeds), units.Count(worse, "cell"))
	return b.String()
}

// times returns a summary of the times and a list of the violations that were not found.
func (r *Record) times() string {
	if len(r.Times) == 0 {
		return notYet
	}
	b := &strings.Builder{}
	var found []int64
	var missed []Time
	for _, t := range r.Times {
		if t.Found {
			found = append(found, t.Millis)
		} else {
			missed = append(missed, t)
		}
	}
	slices.Sort(found)
	fmt.Fprintf(b, "\nOf %d letters of cells %d were found.", len(r.Times), len(found))
	if n := len(found); n > 0 {
		quick, _ := slices.BinarySearch(found, 501)
		fmt.Fprintf(b, " The median took %d ms of\nprocessor time, the worst %.1f s; %d took more "+
			"than half a second.", found[n/2], float64(found[n-1])/1000, n-quick)
	}
	if len(missed) > 0 {
		b.WriteString("\nNot found:\n\n| lock | fault | letter | runs | seconds |\n" +
			"|---|---|---|---|---|\n")
	}
	for _, t := range missed {
		fmt.Fprintf(b, "| %s | %s | %s | %d | %.0f |\n", t.Row, t.Fault, t.Letter, t.Runs,
			float64(t.Millis)/1000)
	}
	b.WriteString("\n")
	return b.String()
}
