// Package progress has the times that the rules of progress and of outages compare: the times when
// clients wanted a lock, and the quiet times without an excuse for granting it to no client. Except
// for sorting, all of it is linear in the number of times.
package progress

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/record"
)

// Want is a time when a client had an acquire call open that the servers answered.
type Want struct {
	From, To int64
	Process  int
	Whole    bool // its commands are unknown, so that it counts only if it is over
}

// Wants are sorted by their beginning; see Sort.
type Wants struct {
	list   []Want
	latest []int64 // the latest end of the first i+1
}

// Sort returns wants in the order of their beginnings. It changes the slice.
func Sort(list []Want) Wants {
	slices.SortFunc(list, func(a, b Want) int { return cmp.Compare(a.From, b.From) })
	return inOrder(list)
}

func inOrder(list []Want) Wants {
	w := Wants{list, make([]int64, len(list))}
	latest := int64(0)
	for i := range list {
		latest = max(latest, list[i].To)
		w.latest[i] = latest
	}
	return w
}

// Resting joins wants between which no more time passed than a client rests.
func (w Wants) Resting(longest int64) Wants {
	list := slices.Clone(w.list)
	last := 0 // the one that ends last so far
	for i := range list {
		if rest := list[i].From - list[last].To; rest > 0 && rest <= longest {
			list[last].To = list[i].From
		}
		if list[i].To > list[last].To {
			last = i
		}
	}
	return inOrder(list)
}

// Clip returns the parts of the times inside a quiet one.
func (w Wants) Clip(q record.Interval) Wants {
	end := sort.Search(len(w.list), func(i int) bool { return w.list[i].From >= q.To })
	begin := sort.Search(end, func(i int) bool { return w.latest[i] > q.From })
	var out []Want
	for _, x := range w.list[begin:end] {
		late := x.Whole && x.To > q.To // it may have been refused for what came after
		x.From, x.To = max(x.From, q.From), min(x.To, q.To)
		if x.From < x.To && !late {
			out = append(out, x)
		}
	}
	return inOrder(out)
}

// Subtract returns the wants without the times that each client lost. The intervals that lost
// returns must be sorted and disjoint.
func (w Wants) Subtract(lost func(process int) []record.Interval) Wants {
	var out []Want
	for _, x := range w.list {
		gaps := lost(x.Process)
		i := sort.Search(len(gaps), func(i int) bool { return gaps[i].To > x.From })
		for ; i < len(gaps) && gaps[i].From < x.To; i++ {
			g := gaps[i]
			if g.From > x.From {
				before := x
				before.To = g.From
				out = append(out, before)
			}
			x.From = g.To
		}
		if x.From < x.To {
			out = append(out, x)
		}
	}
	return Sort(out)
}

// Process returns the client that wanted the lock at a stamp.
func (w Wants) Process(t int64) int {
	i := slices.IndexFunc(w.list, func(x Want) bool { return t <= x.To }) // others began later
	return w.list[max(i, 0)].Process
}

// Lasts reports whether the lock was wanted for a time, by whichever client, and from when to when
// that was.
func (w Wants) Lasts(need int64) (from, to int64, ok bool) {
	covered, over := int64(0), int64(0)
	for i, x := range w.list {
		if i == 0 {
			from, over = x.From, x.From
		}
		if x.To > over {
			covered += x.To - max(x.From, over)
			over = x.To
		}
		if covered >= need {
			return from, over, true
		}
	}
	return 0, 0, false
}

// Covered returns for how long at least one of the times lasted.
func (w Wants) Covered() (sum int64) {
	over := int64(0)
	for _, x := range w.list {
		if x.To > over {
			sum += x.To - max(x.From, over)
			over = x.To
		}
	}
	return sum
}

// QuietTimes returns the times of at least the given length between disturbances. The last one has
// no end. It sorts the disturbances.
func QuietTimes(busy []record.Interval, length int64) []record.Interval {
	record.SortIntervals(busy)
	var out []record.Interval
	over := int64(0)
	for _, b := range busy {
		if b.From-over >= length {
			out = append(out, record.Interval{From: over, To: b.From})
		}
		over = max(over, b.To)
	}
	return out
}
