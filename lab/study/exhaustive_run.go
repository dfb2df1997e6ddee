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

// ExhaustiveSearch says how much of the table of expected verdicts is gone through.
type ExhaustiveSearch struct {
	Rows    []string      // by name; all
	Columns []string      // by name; all
	Each    int           // schedules of each cell at most
	Budget  time.Duration // for all cells; 0: until they are done
	Jobs    int
	Known   []Line                                 // of an interrupted search with the same Each
	Out     io.Writer                              // is written each Line as soon as it is known
	Tell    func(done, all int, d *ExhaustiveCell) // of each space that is over; may be nil
}

// freely is how many times more schedules a cell has without any fault.
const freely = 4

// exhaustiveSearch is a search through the table. Every cell has its first space before any has its
// second, so that a search that is interrupted has seen all of them.
type exhaustiveSearch struct {
	ExhaustiveSearch
	cells []*cellSearch
	mu    sync.Mutex
	err   error // nothing more can be written
}

// cellSearch is how far the search of a cell is.
type cellSearch struct {
	r     matrix.Row
	c     matrix.Column
	d     ExhaustiveCell
	bound int // number of the next space
	left  int // schedules
	spare int // of which are kept for the two spaces of docs/locks/expected.md
}

// Run goes through the cells of docs/locks/expected.md. Cells come in the order of the table,
// also when ctx ends, and then with its error.
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
	for cells := s.behind(); len(cells) > 0 && inner.Err() == nil && !s.failed(); cells = s.behind() {
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
		d.Partial = fmt.Sprintf("%d cells were not gone through as far as they can be: %s", open, why)
	}
	return d, errors.Join(s.err, ctx.Err())
}

// Check says whether there are such locks and faults.
func (x ExhaustiveSearch) Check() error {
	return (&exhaustiveSearch{ExhaustiveSearch: x}).prepare()
}

// prepare makes the cells and puts what is known into them.
func (s *exhaustiveSearch) prepare() error {
	rs, cs, err := matrix.RowsAndColumns(s.Rows, s.Columns)
	if err != nil {
		return err
	}
	for _, r := range rs {
		for _, c := range cs {
			each := s.Each
			if c.Name == "none" { // what is found there is found in the whole row
				each *= freely
			}
			x := &cellSearch{r: r, c: c, left: each, spare: each / 4, d: ExhaustiveCell{
				Row: r.Name, Column: c.Name, Impossible: beyond(r, c)}}
			x.d.Expected, x.d.Known = matrix.Expected(r.Name, c.Name)
			for _, l := range s.Known {
				if l.Row == r.Name && l.Column == c.Name && x.more() && l.Space.within(boundsOf(c)[x.bound]) {
					x.take(l.Space)
				}
			}
			s.cells = append(s.cells, x)
		}
	}
	return nil
}

// next goes through the next space of a cell.
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

// behind are the cells that are the farthest behind; none if all are done.
func (s *exhaustiveSearch) behind() (cells []*cellSearch) {
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

// more reports whether the cell has a further space.
func (x *cellSearch) more() bool {
	return x.d.Impossible == "" && x.left > 0 && x.bound < len(boundsOf(x.c))
}

// limit is how many schedules the next space may have. What is kept for the two spaces of
// docs/locks/expected.md is shared by them.
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

// spared are the numbers of those of these spaces that are still to come.
func (x *cellSearch) spared() (left []int) {
	for i, b := range boundsOf(x.c) {
		if i >= x.bound && slices.Contains(whole, b) {
			left = append(left, i)
		}
	}
	return left
}

// take notes what came of a space. Where one was not finished, no larger one will be: what is left
// is given to the spaces that every cell asks for.
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

// within reports whether a space has the bounds of another, with or without a fault.
func (s Space) within(b explore.Bounds) bool {
	b.Faults = s.Bounds.Faults
	return s.Bounds == b
}

// merge keeps what an interrupted search had found.
func merge(s *Space, o Space) bool {
	for l, w := range o.Found {
		if s.Found == nil {
			s.Found = map[string]string{}
		}
		s.Found[l] = cmp.Or(s.Found[l], w)
	}
	return true
}

// judge says what each cell's spaces come to. The words of a letter are kept where it was found
// first.
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
