package replayed

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/lab/searched"
)

// Result is the result of replaying the counterexample of a cell.
type Result struct {
	Row       string `json:"row"`
	Column    string `json:"column"`
	Letter    string `json:"letter,omitempty"` // empty if the simulator finds no violation
	Class     string `json:"class,omitempty"`
	Fault     string `json:"fault,omitempty"` // with its variant
	Steps     int    `json:"steps,omitempty"`
	Refused   string `json:"refused,omitempty"` // why it cannot be replayed
	Confirmed int    `json:"confirmed"`
	Times     int    `json:"times,omitempty"`
	Again     int    `json:"again,omitempty"` // attempts that the machine was too slow for
	Redis     string `json:"redis,omitempty"`
	Seconds   int    `json:"seconds,omitempty"`
	// The outcome if it was not confirmed, and the directory of the last attempt.
	Diverged string `json:"diverged,omitempty"`
	TooSlow  bool   `json:"too_slow,omitempty"`
	Dir      string `json:"-"`
}

// Record is the list of results.
type Record struct {
	Format  int      `json:"format"`
	Results []Result `json:"results"`
}

// file is the name of the record in the directory docs.
const file = "replayed.json"

// Read reads the record in the directory docs. If there is none, it returns an empty record.
func Read(docs fs.FS) (*Record, error) {
	r := &Record{Format: 1}
	return r, searched.Load(docs, file, r)
}

// Lookup returns the result of a cell, and whether there is one.
func (r *Record) Lookup(c Cell) (Result, bool) {
	for _, x := range r.Results {
		if x.Row == c.Row && x.Column == c.Column {
			return x, true
		}
	}
	return Result{}, false
}

// Put adds or replaces the result of a cell, and sorts the results by the given order of cells.
func (r *Record) Put(x Result, order []Cell) {
	at := func(x Result) int {
		return slices.IndexFunc(order, func(c Cell) bool {
			return c.Row == x.Row && c.Column == x.Column
		})
	}
	r.Results = append(slices.DeleteFunc(r.Results, func(o Result) bool { return at(o) == at(x) }), x)
	slices.SortStableFunc(r.Results, func(a, b Result) int { return at(a) - at(b) })
}

// Write writes the record, and its table into the page.
func (r *Record) Write(docs string) error {
	return searched.Save(docs, file, r, searched.Table{Mark: "replays", Text: r.table()})
}

// table returns a summary, the confirmed cells of each lock, and the others by their outcome.
func (r *Record) table() string {
	b := &strings.Builder{}
	count := map[string]int{}
	var locks, others list
	for _, x := range r.Results {
		kind, said := x.outcome()
		count[kind]++
		if kind == confirmed {
			locks.add(x.Row, x.Column+" "+x.Letter)
		} else {
			others.add(said, x.Row+" "+x.Column)
		}
	}
	fmt.Fprintf(b, "\nOf %s %d were confirmed each time; for %d the machine was too slow, %d "+
		"diverged,\n%d are refused, and for %d the search finds nothing.\n\n",
		units.Count(len(r.Results), "cell"), count[confirmed], count[slow], count[diverged],
		count[refused], count[none])
	locks.write(b, "lock", "confirmed each time: fault and letter")
	others.write(b, "not confirmed", "lock and fault")
	return b.String()
}

// list groups texts by their title, in the order of the titles.
type list struct {
	titles []string
	of     map[string][]string
}

func (l *list) add(title, text string) {
	if l.of == nil {
		l.of = map[string][]string{}
	}
	if l.of[title] == nil {
		l.titles = append(l.titles, title)
	}
	l.of[title] = append(l.of[title], text)
}

// write writes a table with a row for each title.
func (l *list) write(b *strings.Builder, title, texts string) {
	if len(l.titles) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | %s |\n|---|---|\n", title, texts)
	for _, t := range l.titles {
		fmt.Fprintf(b, "| %s | %s |\n", t, strings.Join(l.of[t], ", "))
	}
	b.WriteString("\n")
}

// The kinds of outcomes.
const (
	confirmed = "confirmed"
	slow      = "too slow"
	diverged  = "diverged"
	refused   = "refused"
	none      = "none is found"
)

// outcome returns the kind and a short description of the outcome.
func (x Result) outcome() (kind, said string) {
	said = fmt.Sprintf("%d of %d", x.Confirmed, x.Times)
	switch {
	case x.Letter == "":
		return none, none
	case x.Refused != "":
		_, why, _ := strings.Cut(x.Refused, ": ")
		return refused, refused + ": " + why
	case x.TooSlow:
		return slow, said + ", then too slow"
	case x.Diverged != "":
		return diverged, said + ", then " + x.Diverged
	}
	return confirmed, said
}
