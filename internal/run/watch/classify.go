package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
)

// role is what a script was seen to do to the keys of locks. The runs that changed nothing wait
// until it is known.
type role struct {
	takes, frees, renews bool
	failed               []failed
}

// failed is a run of a script of unknown role that names an earlier hold and changed nothing.
type failed struct {
	l *lock
	h *hold
	s *step
}

// role returns the role that the script of a step has for a key, or an empty one.
func (k *keyspace) role(l *lock, s *step) *role {
	if !runsScript(s.Args) {
		return &role{}
	}
	id := fmt.Sprintf("%s %d %s", s.Args[1], slices.Index(scriptKeys(s.Args), l.name),
		l.modes(s.Args))
	r := k.roles[id]
	if r == nil {
		if len(k.roles) >= maxScripts {
			clear(k.roles)
		}
		r = k.names.role(s.Args[1])
		k.roles[id] = r
	}
	return r
}

// modes returns the arguments of a script that look like words of its author, such as "release",
// and name no owner. A script may do something else for each.
func (l *lock) modes(args []string) []string {
	const longest = 10 // bytes
	words := slices.Clone(args[2:])
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) > longest || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" ||
			l.byValue(w) != nil
	})
}

// classify judges what a step did to a key.
func (j *Judge) classify(l *lock, a *act, before *engine.Value, h *hold) {
	after := l.value
	switch {
	case before == nil && after == nil:
		j.attempt(l, a)
	case before == nil:
		j.taken(l, a, after)
	case after == nil:
		j.freed(l, a)
	case before == after:
		j.unchanged(l, a)
	default:
		was, alone1 := owner(before)
		is, alone2 := owner(after)
		switch {
		case !alone1 || !alone2 || h == nil:
			l.Shape, l.now = "several holders (not judged)", nil
		case was == is:
			j.renewed(l, a, after)
		default:
			j.overwritten(l, a, after, is)
		}
	}
}

// loose are the forms that may be those of other data.
var loose = map[string]bool{"script": true, "transaction": true, "hash with counter": true,
	"GETSET": true}

func (j *Judge) begin(l *lock, a *act, v *engine.Value) *hold {
	value, alone := owner(v)
	h := &hold{value: value, from: a.From, at: a.At, taken: a.Shown,
		plain: !a.takes || !alone, loose: loose[a.form]}
	h.setLease(v, a.At)
	l.now = h
	j.leases.expect(l, h, a.Shown)
	return h
}

// expect notes a hold that has no lease now, so that it is reported unless it soon has one.
func (all *leases) expect(l *lock, h *hold, since history.Shown) {
	if h.until == 0 && !h.plain && !h.loose && !isTime(h.value, since.At) && len(*all) < maxKeys {
		*all = append(*all, leaseless{l, h, since})
	}
}

func (h *hold) setLease(v *engine.Value, at int64) {
	h.until = min(v.Expiry(), math.MaxInt64/2000) * 1000
	if h.until != 0 {
		h.lease = h.until - at/1000*1000 // Redis counts a lease from the whole millisecond
	}
}

// taken handles a key that came into being.
func (j *Judge) taken(l *lock, a *act, v *engine.Value) {
	h := j.begin(l, a, v)
	if h.plain {
		l.Shape = cmp.Or(l.Shape, "no lock: a plain write")
		return
	}
	l.Shape = a.form
	l.Acquired++
	j.Taken++
	j.role(l, a.step).takes = true
	if w := l.waiting[a.From]; w != nil {
		l.Wait.add(a.At - w.since)
		delete(l.waiting, a.From)
	} else {
		l.Wait.add(0)
	}
	j.countLoss(l, a)
	j.tellRoutine(l, a.step, Acquired, h)
}

// countLoss counts a grant against the clients that tried since the one before.
func (j *Judge) countLoss(l *lock, a *act) {
	others := slices.DeleteFunc(l.tried, func(w *wait) bool { return w.from == a.From })
	chance := 1 - 1/float64(1+len(others))
	for _, w := range others {
		w.tried = false
		w.losses++
		w.luck += math.Log(chance)
		if !w.told && w.luck < math.Log(1e-6) {
			w.told = true
			j.tell(l, a.At, Starving, &hold{from: w.from}, fmt.Sprintf(
				"%s were refused to this connection in %s while others were granted the lock %d times",
				units.Count(w.tries, "try", "tries"), span(a.At-w.since), w.losses),
				witness(a.Shown, l.name))
		}
	}
	l.tried = l.tried[:0]
}

// unchanged handles a step that left a key that is there.
func (j *Judge) unchanged(l *lock, a *act) {
	r := j.role(l, a.step)
	switch {
	case l.now == nil || l.now.plain && l.now.value != other:
	case a.takes || r.takes && !r.frees:
		j.refused(l, a)
	case runsScript(a.Args) && (r.frees || r.renews) && l.named(a.step) == l.now:
		l.Contradicted++ // the script found another value than the model has
		l.forget()
	default:
		j.attempt(l, a)
	}
}

// refused counts a try that found the key taken.
func (j *Judge) refused(l *lock, a *act) {
	const row = 10e6 // µs; a client that comes back later has given up before
	l.Refused++
	l.now.refused++
	if h := j.actor(l, a.step); h != nil && (h != l.now || h.from != a.From) {
		h.told = true // what its client does from now on may be about this try
	}
	w := l.waiting[a.From]
	if w == nil || a.At-w.last > row {
		if len(l.waiting) >= maxWaiters {
			clear(l.waiting)
		}
		w = &wait{from: a.From, since: a.At}
		l.waiting[a.From] = w
	}
	if !w.tried && len(l.tried) < maxWaiters {
		w.tried = true
		l.tried = append(l.tried, w)
	}
	w.last = a.At
	w.tries++
	j.tellRoutine(l, a.step, Refused, l.now)
}

// unique is the length in bytes from which a value names an owner. A shorter one may be a number or
// a state.
const unique = 8

// named returns the hold whose value a step has as a word, or nil.
func (l *lock) named(s *step) *hold {
	for _, w := range s.Args[min(2, len(s.Args)):] {
		if len(w) < unique {
			continue
		}
		if h := l.byValue(w); h != nil && !h.plain {
			return h
		}
	}
	return nil
}

// actor returns the earlier hold of the client that sent a step, or nil if it is not known for
// certain.
func (j *Judge) actor(l *lock, s *step) *hold {
	if h := l.named(s); h != nil || !j.Clients {
		return h
	}
	if l.now != nil && l.now.from == s.From {
		return l.now
	}
	if runsScript(s.Args) { // it may be about a hold that was not seen
		return nil
	}
	for i := len(l.past) - 1; i >= 0; i-- {
		if l.past[i].from == s.From {
			return l.past[i]
		}
	}
	return nil
}

// attempt handles a step that changed nothing: the release or renewal of a hold that has ended.
func (j *Judge) attempt(l *lock, a *act) {
	h := j.actor(l, a.step)
	if h == nil || h == l.now || a.takes {
		if h == nil && !j.Clients && l.maybeLate(a) {
			l.Elsewhere++
		}
		return
	}
	r := j.role(l, a.step)
	verb := strings.ToLower(a.Args[0])
	switch {
	case runsScript(a.Args) && r.takes:
	case runsScript(a.Args) && r.frees:
		j.overrun(l, a.step, h, "release")
	case runsScript(a.Args) && r.renews:
		j.overrun(l, a.step, h, "renewal")
	case runsScript(a.Args):
		if len(r.failed) < maxHolds {
			r.failed = append(r.failed, failed{l, h, a.step})
		}
	case is(verb, "del", "unlink", "getdel", "hdel"):
		h.spent = true
		j.overrun(l, a.step, h, "release")
	case is(verb, "expire", "pexpire", "expireat", "pexpireat", "set"),
		verb == "getex" && len(a.Args) > 2: // without an option it only reads
		j.overrun(l, a.step, h, "renewal")
	}
}

// maybeLate reports whether a step of an unknown client may be the release of the last hold, which
// had ended with its lease.
func (l *lock) maybeLate(a *act) bool {
	return is(strings.ToLower(a.Args[0]), "del", "unlink", "getdel") && l.now == nil &&
		len(l.past) > 0 && l.past[len(l.past)-1].ended == expired
}

// learn notes what a script does, and judges the earlier runs that changed nothing.
func (j *Judge) learn(l *lock, s *step, frees bool) {
	r := j.role(l, s)
	r.frees, r.renews = r.frees || frees, r.renews || !frees
	what := "renewal"
	if r.frees {
		what = "release"
	}
	for _, f := range r.failed {
		if !r.takes {
			j.overrun(f.l, f.s, f.h, what)
		}
	}
	r.failed = nil
}

// overrun tells that a client acted on a hold whose lease was over.
func (j *Judge) overrun(l *lock, s *step, h *hold, what string) {
	if h.ended == unseen {
		j.missed(l, s, h, what)
		return
	}
	if h.told || h.ended == released || h.ended == running || h.until == 0 ||
		s.lo-stampError <= h.until {
		return
	}
	h.told = true
	if what == "release" {
		l.measure(h, s.At)
	}
	text := fmt.Sprintf("its %s came %s after its lease of %s was over", what, span(s.At-h.until),
		span(h.lease))
	proof := []string{witness(h.taken, l.name)}
	if next := l.nextAfter(h); next != nil && next.at < s.At {
		text += fmt.Sprintf("; %s had taken the lock %s before", next.from, span(s.At-next.at))
		proof = append(proof, witness(next.taken, l.name))
	}
	j.tell(l, s.At, Overrun, h, text, append(proof, witness(s.Shown, l.name))...)
}

// missed tells that another server does not have the key of a hold, although its lease is not over.
// It is evidence: the client may repeat a release that the earlier server carried out unseen.
func (j *Judge) missed(l *lock, s *step, h *hold, what string) {
	const clocks = 1e6 // µs by which the clocks of two servers may differ
	if h.told || j.replaced <= h.endedAt || h.until != 0 && s.hi+clocks > h.until {
		return
	}
	h.told = true
	text := "another server answers since " + clock(j.replaced) + ", which does not have the key: a " +
		what + " found nothing"
	if h.until != 0 {
		text += " " + span(h.until-s.At) + " before its lease was over"
	}
	j.tell(l, s.At, Lost, h, text, witness(h.taken, l.name), witness(s.Shown, l.name))
}

// nextAfter returns the first hold that began after another had ended, or nil.
func (l *lock) nextAfter(h *hold) *hold {
	for _, p := range append(l.past[:len(l.past):len(l.past)], l.now) {
		if p != nil && !p.plain && p.at >= h.endedAt {
			return p
		}
	}
	return nil
}

// freed handles a key that a step deleted.
func (j *Judge) freed(l *lock, a *act) {
	h, by := l.now, j.actor(l, a.step)
	script := runsScript(a.Args)
	switch {
	case h == nil || h.plain:
	case by != nil && by != h:
		j.foreign(l, a, h, by, "deleted")
	case script && names(l, a.Args, h.value), by == h, h.from == a.From:
		if script {
			j.learn(l, a.step, true)
		}
		l.Released++
		h.spent = true
		j.end(l, released, a.At)
		j.tellRoutine(l, a.step, Released, h)
		return
	case j.Clients && len(j.unnamed) < maxKeys:
		j.unnamed[h.from] = append(j.unnamed[h.from], func() { j.foreign(l, a, h, nil, "deleted") })
	default:
		l.Elsewhere++
		h.told = true // its client may have deleted it over another connection
	}
	j.end(l, deleted, a.At)
}

// foreign tells that a client deleted or overwrote the key of another client's hold.
func (j *Judge) foreign(l *lock, a *act, h, by *hold, did string) {
	proof := []string{witness(h.taken, l.name), witness(a.Shown, l.name)}
	if by != nil && (!by.spent || l.named(a.step) == by) {
		proof = append([]string{witness(by.taken, l.name)}, proof...)
	}
	text := "another client " + did + " the key"
	if h.until != 0 {
		text += " " + span(h.until-a.At) + " before its lease was over"
	}
	j.tell(l, a.At, ForeignDelete, h, text+", from "+a.From, proof...)
	if by != nil {
		by.spent = true
		j.overrun(l, a.step, by, map[string]string{"deleted": "release", "overwrote": "write"}[did])
	}
}

// renewed handles a change of the lease, or of a counter.
func (j *Judge) renewed(l *lock, a *act, v *engine.Value) {
	h, before, first := l.now, l.now.until, l.now.lease == 0
	by := j.actor(l, a.step)
	if by != nil && by != h && by.value != h.value {
		j.overrun(l, a.step, by, "renewal")
	}
	h.setLease(v, a.At)
	switch {
	case h.until == before || h.plain:
	case h.until == 0:
		j.leases.expect(l, h, a.Shown)
	case first:
		if l.Shape == "SETNX" {
			l.Shape = "SETNX, then EXPIRE"
		}
	default:
		l.Renewed++
		if runsScript(a.Args) {
			j.learn(l, a.step, false)
		}
		j.tellRoutine(l, a.step, Renewed, h)
	}
}

// overwritten handles a key that got another owner's value.
func (j *Judge) overwritten(l *lock, a *act, v *engine.Value, value string) {
	h := l.now
	by := l.byValue(value)
	switch {
	case h.plain:
	case a.From == h.from: // the owner writes a new value, such as a time
		h.value = value
		h.setLease(v, a.At)
		j.leases.expect(l, h, a.Shown)
		return
	case by != nil && by.ended != running && len(value) >= unique:
		j.foreign(l, a, h, by, "overwrote")
	}
	l.Overwritten++
	j.end(l, overwritten, a.At)
	l.forget()
}

// measure counts the length of a hold that its client or another one ended at a stamp. A hold that
// overran its lease has its length, too.
func (l *lock) measure(h *hold, at int64) {
	l.Hold.add(at - h.at)
	if h.until > h.at {
		l.Share = max(l.Share, float64(at-h.at)/float64(h.until-h.at))
	}
}

// end ends the hold of a key, and takes its value out of the model.
func (j *Judge) end(l *lock, how ending, at int64) {
	h := l.now
	l.now, l.value = nil, nil
	if h == nil || h.plain {
		return
	}
	h.ended, h.endedAt = how, at
	if how == released || how == deleted {
		l.measure(h, at)
	}
	if how == expired && h.gone != 0 && h.refused > 0 {
		j.tell(l, at, Orphan, h, fmt.Sprintf("its connection was closed, nobody released it, "+
			"and it refused %s until its lease was over", units.Count(h.refused, "try", "tries")),
			witness(h.taken, l.name))
	}
	if l.past = append(l.past, h); len(l.past) > maxHolds {
		oldest := max(0, slices.IndexFunc(l.past, func(h *hold) bool { return h.ended == released }))
		l.past = slices.Delete(l.past, oldest, oldest+1)
	}
}

// checkLeases tells of holds that have no lease a second after they began.
func (j *Judge) checkLeases(now int64) {
	const patience = 1e6
	for len(j.leases) > 0 && now-j.leases[0].since.At > patience {
		e := j.leases[0]
		j.leases = j.leases[1:]
		if l, h := e.l, e.h; l.now == h && h.until == 0 {
			text, proof := "it was taken a second ago and has no lease", []string{witness(h.taken, l.name)}
			if h.lease != 0 {
				text = "its lease was taken away a second ago"
				proof = append(proof, witness(e.since, l.name))
			}
			j.tell(l, now, NoLease, h, text+": if its client dies, the lock stays taken", proof...)
		}
	}
}
