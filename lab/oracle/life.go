package oracle

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// ending is how the life of a key ended.
type ending string

// The endings of a life.
const (
	open        ending = "still there"
	expired     ending = "expired"
	early       ending = "expired by a moved clock"
	deleted     ending = "deleted"
	overwritten ending = "overwritten"
	lost        ending = "lost with its server"
	replaced    ending = "replaced by the contents of its master"
)

// due is a lease that a key was given.
type due struct {
	at  int64
	end int64 // by the clock of the server at that time; never if the key does not expire
	by  *execution
}

// life is a period during which a node kept a key for one acquisition.
type life struct {
	node, key string
	lock      int
	owner     who
	by        *execution // the write; nil for a copy from another node
	text      string
	born, end int64
	how       ending
	ender     *execution
	dues      []due
	touched   []*execution // the commands that wrote or renewed it
	origin    *life        // set for a copy
}

// existedAt reports whether the key existed at time t.
func (l *life) existedAt(t int64) bool { return l.born <= t && t < l.goneAt() }

// goneAt returns the time when the key was gone. A key whose lease is over counts as gone even if
// no command noticed it.
func (l *life) goneAt() int64 {
	if l.how == open {
		return l.natural()
	}
	return l.end
}

// natural returns the end of the latest lease.
func (l *life) natural() int64 {
	if len(l.dues) == 0 {
		return never
	}
	return l.dues[len(l.dues)-1].end
}

// dueAt returns the end of the leases that were in force at time t or extended them.
func (l *life) dueAt(t int64) int64 {
	end := int64(never)
	for i, d := range l.dues {
		if i == 0 || d.at <= t || d.at <= end {
			end = d.end
		}
	}
	return end
}

// lives holds the lives of the keys of all nodes.
type lives struct {
	all    []*life
	now    map[[2]string]*life
	writes map[*engine.Value]*life
	lockOf func(key string) (int, bool)
	// reports whether a command granted the lock to its client
	granted func(*execution) bool
}

// follow replays the changes of a run.
func (ls *lives) follow(changes []*change) {
	ls.now, ls.writes = map[[2]string]*life{}, map[*engine.Value]*life{}
	for _, c := range changes {
		if lock, known := ls.lockOf(c.Key); known {
			ls.apply(c, lock)
		}
	}
	for _, l := range ls.now {
		l.how, l.end = open, never
	}
}

func (ls *lives) apply(c *change, lock int) {
	at := [2]string{c.Node, c.Key}
	l := ls.now[at]
	switch c.How {
	case engine.Written:
		ls.write(c, l, lock)
	case engine.Copied:
		ls.copy(c, l, lock)
	case engine.Deleted:
		ls.finish(l, c.T, deleted, c.by)
	case engine.Lost:
		ls.finish(l, c.T, lost, nil)
	case engine.Expired:
		ls.expire(l, c)
	}
}

// write handles a command that set the key or its expiry.
func (ls *lives) write(c *change, l *life, lock int) {
	if l == nil || ls.taken(l, c) {
		ls.finish(l, c.T, overwritten, c.by)
		l = ls.bear(c, lock, c.by.who(), c.by)
	}
	l.text = c.New.Text()
	l.touched = append(l.touched, c.by)
	ls.writes[c.New] = l
	if c.Old == nil || c.Old.Expiry() != c.New.Expiry() || len(l.dues) == 0 {
		l.dues = append(l.dues, dueOf(c))
	}
}

// taken reports whether a write took a key from its acquisition. A GETSET that granted nothing did
// not: the key still belongs to its owner, with another value.
func (ls *lives) taken(l *life, c *change) bool {
	w := c.by.who()
	sets := slices.Contains([]string{"SET", "GETSET", "SETEX", "PSETEX"}, c.by.verb())
	switch {
	case c.by.verb() == "GETSET" && !ls.granted(c.by):
		return false
	case c.Old.Text() == c.New.Text():
		return sets && w.Process != l.owner.Process
	case c.New.Fields() != nil && slices.Equal(c.Old.Fields(), c.New.Fields()):
		return false // a reentrant lock that counts
	case w.Process != l.owner.Process:
		return true
	}
	return w.N != l.owner.N && c.New.Fields() == nil
}

func (ls *lives) bear(c *change, lock int, owner who, by *execution) *life {
	l := &life{node: c.Node, key: c.Key, lock: lock, owner: owner, by: by, born: c.T, end: never,
		how: open}
	ls.all = append(ls.all, l)
	ls.now[[2]string{c.Node, c.Key}] = l
	return l
}

func (ls *lives) finish(l *life, t int64, how ending, by *execution) {
	if l == nil {
		return
	}
	l.end, l.how, l.ender = t, how, by
	delete(ls.now, [2]string{l.node, l.key})
}

// copy handles a key that a replica copied from its master.
func (ls *lives) copy(c *change, l *life, lock int) {
	if c.New == nil {
		ls.finish(l, c.T, replaced, nil)
		return
	}
	from := ls.writes[c.New]
	if from == nil {
		return
	}
	if l == nil || l.owner != from.owner || l.origin != from {
		ls.finish(l, c.T, replaced, nil)
		l = ls.bear(c, lock, from.owner, nil)
		l.origin = from
	}
	l.text = c.New.Text()
	l.dues = append(l.dues, dueOf(c))
}

// dueOf returns the end of a key by the clock of its node.
func dueOf(c *change) due {
	d := due{at: c.T, end: never, by: c.by}
	if until := c.New.Expiry(); until != 0 {
		d.end = c.T + ((until+1)*1000-c.Wall)*1000
	}
	return d
}

// expire handles a key that a command found expired. The key was gone when its lease ended by the
// clock of the node, or later if the clock went back. If the clock went forward, it was gone when
// the command found it.
func (ls *lives) expire(l *life, c *change) {
	if l == nil {
		return
	}
	const ms = 1e6
	natural := l.natural()
	shown := c.T - (c.Wall-(c.Old.Expiry()+1)*1000)*1000 // by the current clock
	switch {
	case natural > c.T+ms:
		ls.finish(l, c.T, early, nil)
	default:
		ls.finish(l, min(max(natural, shown), c.T), expired, nil)
	}
}

// String describes the life.
func (l *life) String() string {
	return fmt.Sprintf("%s kept %q for client %d (%d) from %d to %d, %s by %d (%d) sent %d", l.node,
		l.text, l.owner.Process, l.owner.N, l.born, l.goneAt(), l.how, l.ender.who().Process,
		l.ender.who().N, l.ender.sent())
}
