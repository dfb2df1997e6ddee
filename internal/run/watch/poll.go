package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// Poll is what the server answered to the watcher's own questions. MONITOR shows the questions, so
// that their place among the commands is known.
type Poll struct {
	Evicted int64  // evicted_keys
	RunID   string // of the server
	Replica bool
	// the time to live of each probed key in ms, as PTTL has it
	TTL map[string]int64
	// all keys in the first poll, or nil. A key that is not there, and that no command named since
	// MONITOR began, was absent then.
	Keys map[string]bool
	// the addresses of all clients, or nil if unknown
	Clients map[string]bool
}

// probe is the state of the model when the server answered PTTL.
type probe struct {
	h     *hold
	at    int64
	alive bool
	used  uint64
}

// probed notes the state of a key when the watcher asked for its time to live.
func (j *Judge) probed(s *step) {
	if l := j.locks[place{s.DB, s.Args[1]}]; l != nil {
		l.probe = probe{l.now, s.At, l.alive(s), l.used}
	}
}

// marker handles a PING, which may end a poll.
func (j *Judge) marker(s *step) {
	if j.Options.Poll == nil {
		return
	}
	p := j.Options.Poll(s.Args[1])
	if p == nil {
		return
	}
	j.pollFrom, j.polls = s.From, s.Args[1]
	was := j.polled
	j.polled = *p
	if was.RunID != "" && was.RunID != p.RunID {
		j.replaced = s.At
	} else if was.Replica != p.Replica {
		j.withhold() // what the replication deleted is told as a client's work
		clear(j.unnamed)
		j.lose("the server became another's replica, or a master")
	}
	evicted := was.RunID == p.RunID && was.Evicted != p.Evicted
	if evicted || j.replaced == s.At {
		j.withhold()
		clear(j.unnamed)
	}
	j.begun(s.DB, p)
	for key, ttl := range p.TTL {
		switch l := j.locks[place{s.DB, key}]; {
		case l == nil:
		case l.known && l.now != nil && l.now == l.probe.h:
			j.compare(l, s, ttl, evicted)
		case !l.known && l.used == l.probe.used && ttl == none:
			l.known = true // it is absent, and no command has touched it since
		}
	}
	if evicted {
		j.doubt(s.DB, p)
	}
	if p.Clients != nil {
		j.orphans(s, p)
		for from := range p.Clients {
			j.unnamed.blame(from)
		}
		clear(j.unnamed)
	}
	j.release()
}

// begun notes which keys are absent at the beginning.
func (k *keyspace) begun(db int, p *Poll) {
	if p.Keys == nil {
		return
	}
	for key := range p.Keys {
		k.lock(place{db, key})
	}
	for at, l := range k.locks { // those that no command has named since
		l.known = l.known || at.db == db && l.used <= k.blind && !p.Keys[at.name]
	}
	k.emptied[db] = len(p.Keys) < maxKeys/2
}

// withhold drops the findings since the last poll, because the server removed keys meanwhile.
func (o *journal) withhold() {
	kept := o.queue[:0]
	for _, e := range o.queue {
		if e.Kind.Finding() {
			o.Withheld++
		} else {
			kept = append(kept, e)
		}
	}
	o.queue = kept
}

// none is the answer of PTTL for an absent key.
const none = -2

// compare compares a key with the server's answer.
func (j *Judge) compare(l *lock, s *step, ttl int64, evicted bool) {
	h, seen := l.now, l.probe
	const forever, slack = -1, 20_000
	switch {
	case ttl == none && seen.alive && !h.plain && !h.loose:
		why := "nothing that MONITOR shows removed it"
		if evicted {
			why = fmt.Sprintf("the server evicted keys (evicted_keys is %d)", j.polled.Evicted)
		}
		text := "the key of a running hold is gone; " + why
		if h.until != 0 {
			text += "; its lease had " + span(h.until-seen.at) + " left"
		}
		j.tell(l, s.At, Vanished, h, text, witness(h.taken, l.name),
			fmt.Sprintf("%d.%06d PTTL %s answered -2", seen.at/1e6, seen.at%1e6, name(l.name)))
		j.end(l, vanished, s.At)
	case ttl == none && !seen.alive:
	case ttl == forever && h.until == 0:
	case ttl >= 0 && h.until != 0 && max(seen.at+ttl*1000-h.until, h.until-seen.at-ttl*1000) < slack:
	default:
		l.Contradicted++
		l.forget()
	}
}

// doubt makes the keys unknown that the server did not confirm.
func (k *keyspace) doubt(db int, p *Poll) {
	for at, l := range k.locks {
		if _, asked := p.TTL[at.name]; at.db != db || !asked || l.probe.h != l.now {
			l.forget()
		}
	}
}

// orphans notes holds whose connection is closed.
func (k *keyspace) orphans(s *step, p *Poll) {
	for _, l := range k.locks {
		if h := l.now; h != nil && h.gone == 0 && !h.plain && !p.Clients[h.from] &&
			!strings.HasPrefix(h.from, "unix:") { // CLIENT LIST names them otherwise
			h.gone = s.At
		}
	}
}

// Doubtful returns the keys of database 0 to probe next, at most n: those that are held or unknown.
func (k *keyspace) Doubtful(n int) (keys []string) {
	for at, l := range k.locks {
		if at.db == 0 && (!l.known || l.now != nil && !l.now.plain) && len(keys) < n {
			keys = append(keys, at.name)
		}
	}
	return keys
}

// watches reports whether a key is to be judged.
func (k *keyspace) watches(key string) bool {
	return len(key) <= longWord && engine.Glob(k.pattern, key) && k.names.find(key) != "ignore"
}

// lock returns the state of a key, or nil if it is not to be judged.
func (k *keyspace) lock(at place) *lock {
	if l := k.locks[at]; l != nil || !k.watches(at.name) {
		return l
	}
	if len(k.locks) >= maxKeys {
		k.dropOldest()
	}
	l := &lock{place: at, known: k.emptied[at.db], waiting: map[string]*wait{}}
	l.Name = k.names.find(at.name)
	k.locks[at] = l
	return l
}

// dropOldest gives up the tenth of the keys that was touched least recently. Such a key is unknown
// when it comes again.
func (k *keyspace) dropOldest() {
	oldest := slices.SortedFunc(maps.Values(k.locks), func(a, b *lock) int {
		return cmp.Compare(a.used, b.used)
	})
	for _, l := range oldest[:maxKeys/10] {
		if !l.known || l.value != nil { // it is not known to be absent
			clear(k.emptied)
		}
		l.now = nil
		delete(k.locks, l.place)
		k.dropped++
	}
}
