package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// quorums tells which servers granted a hold.
type quorums struct{ *Case }

func (c *Case) quorums() quorums { return quorums{c} }

// noServer reports whether a grant certainly rests on no server's answer: no answered command took
// or prolonged a key for the client, or, of several masters, fewer than a quorum did. A server also
// let the client in if a later reply shows the client's own value, if the client still had its key
// from before, or if another client wrote the key for it, like a releaser that hands the lock over.
// The rule judges a grant only if the trace shows how this lock makes its grants, and continues
// after this one.
func (c quorums) noServer(h *record.Hold) bool {
	voted, judged := c.votesFor(h)
	return judged && len(voted) < c.quorum() && !c.passedOn(h)
}

// neverGranted reports whether, besides, no quorum can have granted the hold without the client's
// knowledge: a command that was never answered may have taken the key.
func (c quorums) neverGranted(h *record.Hold) bool {
	voted, judged := c.votesFor(h)
	if !judged || len(voted) >= c.quorum() || c.passedOn(h) {
		return false
	}
	for _, m := range c.trace.SentWithin(h.Process, 0, h.From) {
		if !trace.Answered(m) && c.trace.MayWrite(m) && !c.neverArrived(m, h.From) {
			voted[m.Node] = true
		}
	}
	return len(voted) < c.quorum()
}

// neverArrived reports whether a command certainly did not reach its server before a stamp: the
// client had no connection, or the server was dead all the time.
func (c quorums) neverArrived(m *history.Command, before int64) bool {
	return m.Why == history.NotSent || slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		a, _ := nemesis.ActionOf(f.Action)
		return a.Kills && f.Target == m.Node && f.From < m.Sent && before < f.To
	})
}

// votesFor returns the servers that let a client in, and whether that can be judged.
func (c quorums) votesFor(h *record.Hold) (voted map[string]bool, judged bool) {
	if h.Shared || !c.trace.Named() || c.masters() == 0 || !c.keepsKey(h.Key) || !c.goesOn(h) {
		return nil, false
	}
	voted = map[string]bool{}
	if c.votesInCall(h, voted); len(voted) < c.quorum() {
		c.votesBefore(h, voted)
		c.votesByOthers(h, voted)
	}
	return voted, true
}

// goesOn reports whether the trace surely continues after a grant. If a client records its own
// commands, the last ones may be missing unless there are later ones.
func (c quorums) goesOn(h *record.Hold) bool {
	if c.history.Header.WholeTrace && c.history.Complete() {
		return true
	}
	sent := c.trace.Sent[h.Process]
	return len(sent) > 0 && sent[len(sent)-1].Sent >= h.From
}

// keepsKey reports whether clients take this lock by writing its key, as far as the trace shows.
// Otherwise they hold a subscription or a session.
func (c quorums) keepsKey(lock int) bool {
	return slices.ContainsFunc(c.trace.OfLock(lock), c.trace.MayGrant)
}

// showNoServer makes a violation of a grant that rests on no server, with the last word of each
// server in its call.
func (c quorums) showNoServer(p *property, h *record.Hold) {
	asked := c.lastThat(h, func(*history.Command) bool { return true })
	said := explain.Votes{Masters: c.masters(), Quorum: c.quorum()}
	for _, m := range asked {
		if text, failed := strings.CutPrefix(m.Reply, "(error) "); failed {
			said.Error = text
		}
		switch {
		case c.trace.MayVote(m) || c.showsOwn(m):
			said.Granted++
		case trace.Answered(m):
			said.Refused++
		}
	}
	p.Class, p.Explanation = verdict.NoServer, explain.NoServer(h, said)
	for _, m := range asked {
		if !c.trace.MayVote(m) {
			p.Witness.Commands = append(p.Witness.Commands, command{Command: *m, Kind: verdict.Denial,
				Effect: explain.NotGranted(m)})
		}
	}
}

// votesInCall adds the servers that let a client in during its call.
func (c quorums) votesInCall(h *record.Hold, voted map[string]bool) {
	given := map[trace.Place]*history.Command{}
	for _, m := range c.trace.SentWithin(h.Process, h.Call, h.From) {
		switch {
		case m.Recv > h.From, c.ofOther(m, h.Key), refusedBeside(c.Case, m):
		case givesUp(c.Case, given[trace.PlaceOf(m)], m):
			delete(given, trace.PlaceOf(m))
			back := c.givenBack(h.Key, trace.Key(m)) // else it was a guard, if it is not the lock
			maps.DeleteFunc(given, func(p trace.Place, o *history.Command) bool {
				// What neither takes a free key nor is ever given back does not grant the lock alone.
				weak := back && !c.trace.TakesFree(o) && !c.givenBack(h.Key, p.Key)
				guard := trace.IsNamed(c.trace, m) && trace.IsCounting(c.trace, o) &&
					!c.givenBack(h.Key, p.Key)
				return p.Node == m.Node && (weak || guard)
			})
		case c.trace.MayVote(m), c.showsOwn(m), c.keyFacts().tookToken(m):
			given[trace.PlaceOf(m)] = m
		}
	}
	for place := range given {
		voted[place.Node] = true
	}
}

// givenBack reports whether a release call may have changed a key of a lock, and none took it: then
// it is a guard.
func (c *Case) givenBack(lock int, key string) bool {
	return c.back.get(ofLock{lock, key}, func(at ofLock) bool { return changedByReleases(c, at) })
}

// ofLock is a key that commands about a lock name.
type ofLock struct {
	lock int
	key  string
}

func changedByReleases(c *Case, at ofLock) (changed bool) {
	for _, m := range c.trace.OfLock(at.lock) {
		switch {
		case trace.Key(m) != at.key || trace.Silent(m) || !c.trace.Releasing(m):
		case c.trace.MayGrant(m) && c.trace.Takes(m) && !trace.CountsDown(m.Args):
			return false
		default:
			changed = true
		}
	}
	return changed
}

// ofOther reports whether a command is about another lock, and none of its words names this one.
func (c quorums) ofOther(m *history.Command, lock int) bool {
	key, known := c.grants().LockOf(m)
	return known && key != lock && !c.trace.Mentions(m, lock)
}

// votesBefore adds the servers on which the client still had its vote from before the call: it has
// sent no command that frees it, and the lease was not over.
func (c quorums) votesBefore(h *record.Hold, voted map[string]bool) {
	until := map[trace.Place]int64{}
	for _, m := range c.trace.SentWithin(h.Process, 0, h.Call-1) {
		switch {
		case c.ofOther(m, h.Key):
		case c.trace.Frees(m):
			delete(until, trace.PlaceOf(m))
		case c.trace.MayVote(m):
			until[trace.PlaceOf(m)] = m.Recv + c.life(m)
		}
	}
	for place, t := range until {
		if t > h.Call {
			voted[place.Node] = true
		}
	}
}

// life returns how long a key lives at most from the reply to a command that set or prolonged it.
func (c quorums) life(m *history.Command) int64 {
	if asked, known := c.trace.Asked(m); known && asked > 0 {
		return asked
	}
	if c.history.Header.Declares.Lease {
		return c.waits().longestLease()
	}
	return record.Forever / 2
}

// votesByOthers adds the servers on which another client may have written the key for this one: in
// its release call, or with a value that this one has sent.
func (c quorums) votesByOthers(h *record.Hold, voted map[string]bool) {
	for _, m := range c.trace.OfLock(h.Key) {
		if m.Sent >= h.From {
			return
		}
		if m.Process != h.Process && (m.Recv == 0 || m.Recv >= h.Call) && c.trace.MayWrite(m) &&
			(c.trace.Releasing(m) || c.names(m, h)) {
			voted[m.Node] = true
		}
	}
}

// names reports whether a command has a value among its arguments that the client of a hold had
// sent before it, about the same lock.
func (c quorums) names(m *history.Command, h *record.Hold) bool {
	sent := c.trace.SentWithin(h.Process, 0, m.Sent)
	return slices.ContainsFunc(sent, func(own *history.Command) bool {
		return own.N == h.N && slices.ContainsFunc(values(own), func(v string) bool {
			return slices.Contains(values(m), v)
		})
	})
}

// values returns the arguments of a command after its key that are long enough to name a client.
func values(m *history.Command) (out []string) {
	if i := slices.Index(m.Args, trace.Key(m)); i >= 0 {
		for _, v := range m.Args[i+1:] {
			if len(v) >= shortestValue {
				out = append(out, v)
			}
		}
	}
	return out
}

// shortestValue is the length below which an argument is a number or a keyword rather than the
// value of one client.
const shortestValue = 8

// showsOwn reports whether the reply to a command is a value that its client alone has sent for
// this key, or says that the key has a field that its client alone has sent. If the reply is the
// value of one client, and no number, the field has the same name for all.
func (c quorums) showsOwn(m *history.Command) bool {
	shown := m.Reply
	switch verb := trace.Verb(m); {
	case trace.EffectOf(m.Args).Kind == trace.Free:
		return false // its reply is a count
	case verb != "HEXISTS" && verb != "HGET":
	case verb == "HGET" && len(shown) >= shortestValue &&
		c.ownerOf(trace.Key(m), shown) != severalOwners:
	case len(m.Args) < 3 || shown == "0" || shown == "(nil)":
		return false
	default:
		shown = m.Args[2]
	}
	return trace.Answered(m) && c.ownerOf(trace.Key(m), shown) == m.Process
}

// tells reports whether the reply to a command is the value that another one wrote, and no other
// client uses that value.
func (c quorums) tells(m, wrote *history.Command) bool {
	return trace.Answered(m) && c.ownerOf(trace.Key(m), m.Reply) == wrote.Process &&
		slices.Contains(wrote.Args, m.Reply)
}

// severalOwners marks a value that more than one client has sent.
const severalOwners = -2

// ownerOf returns the only client that has sent a value for a key; severalOwners if there is none
// or more than one.
func (c quorums) ownerOf(key, value string) int {
	if c.values == nil {
		c.values = map[[2]string]int{}
		for _, m := range c.trace.Commands {
			c.noteValues(m)
		}
	}
	if p, known := c.values[[2]string{key, value}]; known {
		return p
	}
	return severalOwners
}

func (c quorums) noteValues(m *history.Command) {
	key := trace.Key(m)
	for _, v := range m.Args[min(2, len(m.Args)):] {
		at := [2]string{key, v}
		if p, known := c.values[at]; known && p != m.Process {
			c.values[at] = severalOwners
		} else if !known {
			c.values[at] = m.Process
		}
	}
}

// passedOn reports whether the lock may have gone to this client by a message that the trace does
// not show: the client that had it before left without freeing the key.
func (c quorums) passedOn(h *record.Hold) bool {
	var before *record.Hold
	for _, o := range c.waits().lock(h.Key).Holds {
		if o.Process != h.Process && o.Ended == record.Released && o.End < h.From {
			before = o
		}
	}
	if before == nil {
		return false
	}
	return !slices.ContainsFunc(c.trace.SentWithin(before.Process, before.Call, h.From), c.trace.Frees)
}

// givesUp reports whether a command of a call deleted the key that an earlier one of it took.
func givesUp(c *Case, took, m *history.Command) bool {
	seen := len(m.Effects) > 0 && trace.Answered(m) && m.Reply != "0" && c.trace.Frees(m)
	return took != nil && (c.trace.Deleted(m) || seen && !c.trace.Spares(m, took))
}

// refusedBeside reports whether a script that took no free key refused another of its keys that is
// likelier the lock's.
func refusedBeside(c *Case, m *history.Command) bool {
	return !c.trace.TakesFree(m) && slices.ContainsFunc(
		c.trace.SentWithin(m.Process, m.Sent, m.Sent), func(o *history.Command) bool {
			return o.Seq == m.Seq && c.trace.Denied(o) && trace.Likelier(c.trace, o, m)
		})
}
