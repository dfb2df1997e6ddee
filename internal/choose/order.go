package choose

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// quality is what a matrix shows of a lock under all of its faults. The locks that remain are
// ordered by it. It does not depend on a query.
type quality struct {
	level int // how far the lock is to be trusted: sound and the others
	kind  int // what the lock gives: leased and the others
	runs  int // judged runs in which a client crashed, if all were clean
	clean int // faults under which nothing that counts was violated or left unknown
}

// The levels of locks, from the best to the worst.
const (
	sound   = iota
	untried // fewer than half of the faults were judged
	flawed  // a fault shows a defect of the lock itself, other than a hold that outlasts its lease
	stuck   // some fault leaves it taken for ever
)

// The kinds of locks. A holder who comes late is refused by its token. The end of a session, unlike
// the end of a lease, is known to the server and to the holder's client.
const (
	leased    = iota
	tokenLost // it gives fencing tokens, but some fault makes them start again
	session
	fenced // it gives fencing tokens, and they grew under each fault
)

// quality judges a row by all cells of its matrix.
func (s source) quality(r matrix.Row, lock impls.Entry, c Choice) (q quality) {
	judged, tokens, bad := 0, fenced, false
	for _, col := range s.Columns {
		cell := s.Cell(r.Name, col.Name)
		t := s.standing(r, col.Name, Query{})
		judged += batch.Truth(t.Against == "" || t.Broken)
		q.clean += batch.Truth(t.Against == "")
		if col.Name == crash && t.Against == "" {
			q.runs = s.runs(cell)
		}
		if cell == nil {
			continue
		}
		bad = bad || grave(cell)
		if slices.Contains(cell.Found(), checker.Fencing) {
			tokens = tokenLost
		}
	}
	switch {
	case lock.Fencing:
		q.kind = tokens
	case sessionOf(r, lock):
		q.kind = session
	}
	switch {
	case len(c.Deadlocks) > 0:
		q.level = stuck
	case bad:
		q.level = flawed
	case 2*judged < len(s.Columns):
		q.level = untried
	}
	return q
}

// sessionOf reports whether a lock is held as long as a session of its client with the servers.
func sessionOf(r matrix.Row, lock impls.Entry) bool {
	return r.System() != nemesis.Redis && lock.Watchdog
}

// worth compares what two locks give, the runs that show it, and whether their costs are known. The
// better one comes first.
func worth(a, b Choice) int {
	return cmp.Or(cmp.Compare(b.quality.kind, a.quality.kind),
		cmp.Compare(b.quality.runs, a.quality.runs), cmp.Compare(b.quality.clean, a.quality.clean),
		cmp.Compare(batch.Truth(b.Alone > 0), batch.Truth(a.Alone > 0)))
}

// sortChoices puts the locks that remain first, and the better ones before the others.
func sortChoices(all []Choice) {
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(batch.Truth(b.Remains), batch.Truth(a.Remains)),
			cmp.Compare(a.quality.level, b.quality.level),
			cmp.Compare(a.open, b.open), cmp.Compare(a.broken, b.broken),
			cmp.Compare(len(a.Against), len(b.Against)), worth(a, b))
	})
}

// Shown is the number of locks that an answer shows.
const Shown = 6

// Best returns the best locks that remain: at most six, one of each library or own lock, none that
// can stay taken or has another defect of its own.
func Best(choices []Choice) (best []Choice) {
	for _, c := range choices {
		if c.Remains && c.quality.level == sound && len(best) < Shown &&
			!slices.ContainsFunc(best, func(b Choice) bool { return b.family == c.family }) {
			best = append(best, c)
		}
	}
	return best
}
