package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// ExhaustiveSearch specifies how much of the table of expected verdicts is explored.
type ExhaustiveSearch struct {
	Rows    []string      // names; if empty, all
	Columns []string      // names; if empty, all
	Each    int           // most schedules of each cell
	Budget  time.Duration // for all cells; 0 means no limit
	Jobs    int
	Known   []Line                                 // from an interrupted search with the same Each
	Out     io.Writer                              // receives each Line immediately
	Tell    func(done, all int, d *ExhaustiveCell) // called after each space; may be nil
}

// freely multiplies the schedules of a cell without any fault.
const freely = 4

// exhaustiveSearch is the state of a search through the table. It explores the first space of every
// cell before the second of any, so that an interrupted search has seen all cells.
type exhaustiveSearch struct {
	ExhaustiveSearch
	cells []*cellSearch
	mu    sync.Mutex
	err   error // the output cannot be written
}

// cellSearch is the state of the search of a cell.
type cellSearch struct {
	r     matrix.Row
	c     matrix.Column
	d     ExhaustiveCell
	bound int // index of the next space
	left  int // remaining schedules
	spare int // schedules reserved for the two spaces of docs/locks/expected.md
}

// Run explores the cells of docs/locks/expected.md. It returns the cells in the order of the table.
// If ctx ends, it returns the cells so far and the error of ctx.
func (x ExhaustiveSearch) Run(ctx context.Context) (*ExhaustiveReport, error) {
	s := &exhaustiveSearch{ExhaustiveSearch: x}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if x.Budget > 0 {
		inner, cancel = context.WithTimeout(inner, x.Budget)
		defer cancel()
	}
	for cells := s.lowest(); len(cells) > 0 && inner.Err() == nil && !s.failed(); cells = s.lowest() {
		pool.Each(inner, x.Jobs, slices.Values(cells), func(c *cellSearch) { s.next(inner, c) })
	}
	d := &ExhaustiveReport{Format: batch.Format, Each: x.Each, Judged: batch.Properties}
	for _, c := range s.cells {
		d.Cells = append(d.Cells, c.d)
	}
	d.judge()
	if open := s.open(); open > 0 {
		why := "the search was interrupted"
		if ctx.Err() == nil {
			why = fmt.Sprintf("the time of %v was over", x.Budget)
		}
		d.Partial = fmt.Sprintf("%d cells were not fully explored: %s", open, why)
	}
	return d, errors.Join(s.err, ctx.Err())
}

// Check returns an error if a lock or fault does not exist.
func (x ExhaustiveSearch) Check() error {
	return (&exhaustiveSearch{ExhaustiveSearch: x}).prepare()
}

// prepare creates the cells and adds the known spaces.
func (s *exhaustiveSearch) prepare() error {
	rs, cs, err := matrix.RowsAndColumns(s.Rows, s.Columns)
	if err != nil {
		return err
	}
	for _, r := range rs {
		for _, c := range cs {
			each := s.Each
			if c.Name == "none" { // violations there count for the whole row
				each *= freely
			}
			x := &cellSearch{r: r, c: c, left: each, spare: each / 4, d: ExhaustiveCell{
				Row: r.Name, Column: c.Name, Impossible: beyond(r, c)}}
			x.d.Expected, x.d.Known = matrix.Expected(r.Name, c.Name)
			for _, l := range s.Known {
				if l.Row == r.Name && l.Column == c.Name && x.more() && l.Space.has(boundsOf(c)[x.bound]) {
					x.take(l.Space)
				}
			}
			s.cells = append(s.cells, x)
		}
	}
	return nil
}

// next explores the next space of a cell.
func (s *exhaustiveSearch) next(ctx context.Context, x *cellSearch) {
	if s.failed() {
		return
	}
	space := search(ctx, x.r, x.c, boundsOf(x.c)[x.bound], x.limit())
	s.mu.Lock()
	defer s.mu.Unlock()
	x.take(space)
	if s.Out != nil {
		s.err = errors.Join(s.err, batch.WriteLine(s.Out, Line{batch.Format, x.r.Name, x.c.Name, space}))
	}
	if s.Tell != nil {
		s.Tell(len(s.cells)-s.open(), len(s.cells), &x.d)
	}
}

func (s *exhaustiveSearch) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// lowest returns the cells with the lowest space index that are not done.
func (s *exhaustiveSearch) lowest() (cells []*cellSearch) {
	for _, x := range s.cells {
		switch {
		case !x.more() || len(cells) > 0 && x.bound > cells[0].bound:
		case len(cells) > 0 && x.bound == cells[0].bound:
			cells = append(cells, x)
		default:
			cells = []*cellSearch{x}
		}
	}
	return cells
}

func (s *exhaustiveSearch) open() (n int) {
	for _, x := range s.cells {
		n += batch.Truth(x.more())
	}
	return n
}

// more reports whether the cell has another space to explore.
func (x *cellSearch) more() bool {
	return x.d.Impossible == "" && x.left > 0 && x.bound < len(boundsOf(x.c))
}

// limit returns how many schedules the next space may use. The reserve for the two spaces of
// docs/locks/expected.md is shared between them.
func (x *cellSearch) limit() int {
	spared := x.spared()
	switch {
	case len(spared) == 0 || len(spared) == 1 && spared[0] == x.bound:
		return x.left
	case x.left > x.spare:
		return x.left - x.spare
	}
	return max(x.left/len(spared), 1)
}

// spared returns the indexes of the spaces of whole that are still to come.
func (x *cellSearch) spared() (left []int) {
	for i, b := range boundsOf(x.c) {
		if i >= x.bound && slices.Contains(whole, b) {
			left = append(left, i)
		}
	}
	return left
}

// take adds a space. If it was not finished, no larger one would be, so the remaining schedules go
// to the spaces of whole.
func (x *cellSearch) take(s Space) {
	x.d.Spaces = slices.DeleteFunc(x.d.Spaces, func(o Space) bool {
		return o.Cut &&
			o.Bounds == s.Bounds && merge(&s, o)
	})
	x.d.Spaces = append(x.d.Spaces, s)
	if s.Cut {
		return
	}
	x.bound++
	x.left -= s.Schedules + s.Merged
	switch spared := x.spared(); {
	case s.Err != "" || !s.Whole && len(spared) == 0:
		x.left = 0
	case !s.Whole:
		x.bound = spared[0]
	}
}

// has reports whether a space has the given bounds, with or without a fault.
func (s Space) has(b explore.Bounds) bool {
	b.Faults = s.Bounds.Faults
	return s.Bounds == b
}

// merge adds the results of an interrupted search to s.
func merge(s *Space, o Space) bool {
	for l, w := range o.Found {
		if s.Found == nil {
			s.Found = map[string]string{}
		}
		s.Found[l] = cmp.Or(s.Found[l], w)
	}
	return true
}

// judge judges each cell by its spaces. It keeps the first counterexample of each property.
func (d *ExhaustiveReport) judge() {
	for i := range d.Cells {
		d.Cells[i].judge(nil)
		d.Cells[i].shorten()
	}
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Column != "none" {
			c.judge(d.Cell(c.Row, "none"))
		}
	}
}
