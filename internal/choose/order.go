package choose

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// quality is what a matrix shows of a lock under all of its faults. The locks that remain are
// ordered by it. It does not depend on a query.
type quality struct {
	level int // how far the lock is to be trusted: sound and the others
	kind  int // what the lock gives: leased and the others
	valid int // letters that count, of all faults, that runs judged to be valid
}

// The levels of locks, from the best to the worst.
const (
	sound    = iota
	holdless // it keeps no client out, and refuses the later write
	untried  // fewer than half of the faults were judged
	flawed   // a fault shows a defect of the lock itself, other than a hold that outlasts its lease
	stuck    // some fault leaves it taken for ever
)

// The kinds of locks. A holder who comes late is refused by its token. The end of a session, unlike
// the end of a lease, is known to the server and to the holder's client.
const (
	leased    = iota
	tokenLost // it gives fencing tokens, but no run shows that they outlast a restart
	session
	fenced // it gives fencing tokens, and they grew under each fault that was judged, with a restart
)

// quality judges a row by all cells of its matrix.
func (s source) quality(r matrix.Row, lock impls.Entry, c Choice) (q quality) {
	judged, tokens, bad, lost := 0, tokenLost, false, false
	for _, col := range s.Columns {
		cell := s.Cell(r.Name, col.Name)
		t := s.standing(r, col.Name, Query{})
		judged += batch.Truth(t.Against == "" || t.Broken)
		if cell == nil {
			continue
		}
		bad = bad || grave(cell)
		q.valid += valid(cell)
		lost = lost || slices.Contains(cell.Found(), checker.Fencing)
		if col.Name == "restart" && cell.Property(checker.Fencing).Found == checker.Valid {
			tokens = fenced
		}
	}
	switch {
	case lost:
		q.kind = tokenLost
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
	case lock.Optimistic:
		q.level = holdless
	}
	return q
}

// valid counts the properties that decide a run and that a cell shows to be valid. What could not
// be tried or judged does not count.
func valid(cell *matrix.Cell) (n int) {
	for _, p := range cell.Properties {
		row, _ := history.FindProperty(p.Name)
		n += batch.Truth(!row.Reported && p.Found == checker.Valid)
	}
	return n
}

// sessionOf reports whether a lock is held as long as a session of its client with the servers.
func sessionOf(r matrix.Row, lock impls.Entry) bool {
	return r.System() != nemesis.Redis && lock.Watchdog
}

// worth compares what two locks give, how much was judged of them, and whether their costs are
// known. The better one comes first.
func worth(a, b Choice) int {
	return cmp.Or(cmp.Compare(b.quality.kind, a.quality.kind),
		cmp.Compare(b.quality.valid, a.quality.valid),
		cmp.Compare(batch.Truth(b.Alone > 0), batch.Truth(a.Alone > 0)))
}

// sortChoices puts the locks that remain first, and of these the ones with more clean runs.
func sortChoices(all []Choice) {
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(batch.Truth(b.Remains), batch.Truth(a.Remains)),
			cmp.Compare(a.quality.level, b.quality.level),
			cmp.Compare(a.open, b.open), cmp.Compare(a.broken, b.broken),
			cmp.Compare(len(a.Against), len(b.Against)), cmp.Compare(b.runs(), a.runs()), worth(a, b))
	})
}

// Closest returns at most n locks for a query that no sound lock meets, those of the best level
// first. So it does not name a lock with a defect of its own because the faults of the query leave
// that lock clean.
func Closest(choices []Choice, n int) []Choice {
	all := slices.Clone(choices)
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Compare(a.quality.level, b.quality.level)
	})
	return all[:min(n, len(all))]
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
