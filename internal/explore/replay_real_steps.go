package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/workloads"
)

// send lets a client send a command that it stands before.
func (p *player) send(s Step) error {
	a := p.actors[s.Client]
	is := func(h workloads.BreakpointHit) bool {
		return h.Args != nil && h.Node == s.Node && p.match.command(s.Command, h.Args)
	}
	h, err := p.standing(s, is)
	if err != nil {
		return err
	}
	sent := &sentCommand{
		client: s.Client, node: s.Node, words: h.Args, command: Spell(h.Args), late: p.disturbed(s.Client,
			s.Node),
	}
	p.net.expect(sent) // before it comes
	a.sent, a.commands[s.Seq] = nil, sent
	p.pass(s.Client, h)
	ok, err := p.await(func() bool { return len(a.sent) > 0 || a.gone })
	if err != nil {
		return err
	}
	if !ok || len(a.sent) == 0 {
		return p.diverged(s, "nothing: it was told to send and did not")
	}
	sent.seq = a.sent[0]
	return p.rest(s.Client)
}

// describe is a step without its time.
func describe(s Step) string {
	_, what, _ := strings.Cut(s.String(), "ms ")
	return what
}

// settled is how long a client that has nothing to do must stand elsewhere before it is believed
// that it will not come.
const settled = 100_000_000

// standing waits until a client stands at a place.
func (p *player) standing(s Step, is func(workloads.BreakpointHit) bool) (
	found workloads.BreakpointHit,
	err error) {
	a := p.actors[s.Client]
	since := p.environment.Now()
	ok := false
	_, err = p.await(func() bool {
		if i := slices.IndexFunc(a.stands, is); i >= 0 {
			found, ok = a.stands[i], true
		}
		return ok || a.gone || len(a.stands) > 0 && p.environment.Now()-since > settled
	})
	if err == nil && !ok {
		err = p.diverged(s, "%s", p.doing(s.Client))
	}
	return found, err
}

// doing says what a client does instead.
func (p *player) doing(client int) string {
	a := p.actors[client]
	switch {
	case a.gone:
		return fmt.Sprintf("nothing: c%d is gone", client)
	case len(a.marks) > 0:
		return describe(a.marks[0])
	case len(a.stands) > 0:
		var all []string
		for _, h := range a.stands {
			if h.Args != nil {
				all = append(all, fmt.Sprintf("c%d sends to %s: %s", client, h.Node, Spell(h.Args)))
			} else {
				all = append(all, fmt.Sprintf("c%d %s %d", client, h.Phase, h.N))
			}
		}
		return strings.Join(all, " and ")
	}
	return fmt.Sprintf("nothing: c%d waits", client)
}

// execute lets a node have a command, and waits for the reply.
func (p *player) execute(s Step) error {
	m, err := p.arrived(s)
	if err != nil {
		return err
	}
	if !p.match.command(s.Command, m.words) {
		return p.diverged(s, "c%d has sent to %s: %s", s.Client, s.Node, Spell(m.words))
	}
	if err := p.exactly(p.clock.earliest(p.now)); err != nil {
		return err
	}
	if p.clock.aligned(p.now) {
		nextMillisecond()
	}
	p.clock.done(p.now, p.environment.Now())
	p.net.execute(m)
	if s.Reply == "" {
		return nil // it is answered later
	}
	var wire []byte
	_, err = p.await(func() (done bool) {
		wire, done = p.net.answer(m)
		return done || wire != nil
	})
	switch {
	case err != nil:
		return err
	case wire == nil:
		return p.diverged(s, "no reply")
	case !p.match.reply(m.words, s.Reply, spellReply(wire)):
		return p.diverged(s, "the reply %s", spellReply(wire))
	}
	return nil
}

// exactly is until without the millisecond that a timer may be late.
func (p *player) exactly(at int64) error {
	if err := p.until(at - int64(2*time.Millisecond)); err != nil {
		return err
	}
	for p.environment.Now() < at {
	}
	return nil
}

// nextMillisecond returns when the wall clock's next one begins.
func nextMillisecond() {
	for ms := time.Now().UnixMilli(); time.Now().UnixMilli() == ms; { // too short to sleep
	}
}

// arrived waits until a command stands before its node.
func (p *player) arrived(s Step) (m *message, err error) {
	a := p.actors[s.Client]
	sent := a.commands[s.Seq] // nil: it is in no trace
	_, err = p.await(func() bool {
		for _, x := range p.net.seen(s.Client, s.Node, false) {
			if x.sent == sent && (sent != nil || p.match.command(s.Command, x.words)) {
				m = x
				return true
			}
		}
		return false
	})
	if err == nil && m == nil {
		err = p.diverged(s, "%s", p.doing(s.Client))
	}
	return m, err
}

// hand gives a client the reply to a command, if there is one.
func (p *player) hand(s Step) error {
	if s.Err != "" { // it gives up by itself, or its connection has ended
		for _, l := range p.net.ends() {
			if l.client == s.Client && l.node == s.Node {
				p.net.tell(l)
			}
		}
		return nil
	}
	if err := p.hurry(s.Client); err != nil {
		return err
	}
	sent := p.actors[s.Client].commands[s.Seq]
	for _, m := range p.net.seen(s.Client, s.Node, true) {
		if sent != nil && m.sent == sent {
			p.net.hand(m)
		}
	}
	return nil
}

// received waits until a client has the reply, or has given up.
func (p *player) received(s Step) error {
	a := p.actors[s.Client]
	sent := a.commands[s.Seq]
	if sent == nil {
		return p.diverged(s, "nothing: it was never sent")
	}
	var got history.Command
	ok, err := p.await(func() (have bool) {
		got, have = a.answers[sent.seq]
		return have || a.gone
	})
	switch {
	case err != nil:
		return err
	case !ok || got.Seq == 0:
		return p.diverged(s, "%s", p.doing(s.Client))
	case s.Err != "" && (got.Err == "" || isTimeout(s.Err) != isTimeout(got.Err)):
		return p.diverged(s, "the reply %s%s", got.Reply, reason(got.Err))
	case s.Err == "" && got.Err != "":
		return p.diverged(s, "no reply%s", reason(got.Err))
	case s.Err == "" && !p.match.reply(sent.words, s.Reply, got.Reply):
		return p.diverged(s, "the reply %s", got.Reply)
	}
	return p.rest(s.Client)
}

// mark waits until a client has come to a phase of its cycle, and calls it where it stands before
// one.
func (p *player) mark(s Step) error {
	a := p.actors[s.Client]
	if s.Phase == Acquire || s.Phase == Release {
		nested := len(a.marks) > 0
		if !nested {
			h, err := p.standing(s, func(h workloads.BreakpointHit) bool {
				return h.Phase == s.Phase &&
					h.N == s.N
			})
			if err != nil {
				return err
			}
			if err := p.hurry(s.Client); err != nil {
				return err
			}
			p.pass(s.Client, h)
		}
	}
	ok, err := p.await(func() bool { return len(a.marks) > 0 || a.gone })
	switch {
	case err != nil:
		return err
	case !ok || len(a.marks) == 0:
		return p.diverged(s, "%s", p.doing(s.Client))
	case a.marks[0].Phase != s.Phase || a.marks[0].N != s.N:
		return p.diverged(s, "%s", p.doing(s.Client))
	}
	a.marks = a.marks[1:]
	return p.rest(s.Client)
}
