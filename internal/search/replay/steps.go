package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// send lets a client continue that waits before the command it must send.
func (r *replayer) send(s counterexample.Step) error {
	a := r.actors[s.Client]
	is := func(h workloads.BreakpointHit) bool {
		return h.Args != nil && h.Node == s.Node && r.match.command(s.Command, h.Args)
	}
	h, err := r.standing(s, is)
	if err != nil {
		return err
	}
	sent := &sentCommand{client: s.Client, node: s.Node, words: h.Args,
		command: counterexample.Render(h.Args), late: r.hurt.reach(s.Client, s.Node)}
	// it notices that by itself and then sleeps
	if failsIn(r.turns[r.now:], s) && sleepsIn(r.turns[r.now+1:], s) {
		if err := r.hurry(s.Client); err != nil {
			return err
		}
	}
	r.net.expect(sent) // before it arrives
	a.sent, a.commands[s.Seq] = nil, sent
	r.pass(s.Client, h)
	ok, err := r.await(func() bool { return len(a.sent) > 0 || a.gone })
	if err != nil {
		return err
	}
	if !ok || len(a.sent) == 0 {
		return r.diverged(s, "nothing: it was told to send and did not")
	}
	sent.seq = a.sent[0]
	return r.awaitRest(s.Client)
}

// settled is how long a client must wait elsewhere, in ns, until the replayer gives up on it.
const settled = 100_000_000

// standing waits until a client is at a breakpoint that is accepts.
func (r *replayer) standing(s counterexample.Step,
	is func(workloads.BreakpointHit) bool) (found workloads.BreakpointHit, err error) {
	a := r.actors[s.Client]
	since := r.environment.Now()
	ok := false
	_, err = r.await(func() bool {
		if i := slices.IndexFunc(a.stands, is); i >= 0 {
			found, ok = a.stands[i], true
		}
		return ok || a.gone || len(a.stands) > 0 && r.environment.Now()-since > settled &&
			r.environment.WaitIdle(s.Client, 0)
	})
	if err == nil && !ok {
		err = r.diverged(s, "%s", a.doing(s.Client))
	}
	return found, err
}

// execute forwards a command to a node and waits for the reply.
func (r *replayer) execute(s counterexample.Step) error {
	if word, _, _ := strings.Cut(s.Command, " "); subscribes(word) {
		return r.subscribed(s.Client)
	}
	m, err := r.arrived(s)
	if err != nil {
		return err
	}
	if !r.match.command(s.Command, m.words) {
		return r.diverged(s, "c%d has sent to %s: %s", s.Client, s.Node, counterexample.Render(m.words))
	}
	if err := r.exactly(r.clock.earliest(r.now)); err != nil {
		return err
	}
	if r.clock.aligned(r.now) {
		nextMillisecond()
	}
	r.clock.done(r.now, r.environment.Now())
	r.net.execute(m)
	if s.Reply == "" {
		return nil // it is answered later
	}
	var wire []byte
	_, err = r.await(func() (done bool) {
		wire, done = r.net.answer(m)
		return done || wire != nil
	})
	switch {
	case err != nil:
		return err
	case wire == nil:
		return r.diverged(s, "no reply")
	case !r.match.reply(m.words, s.Reply, resp.Text(wire)):
		return r.diverged(s, "the reply %s", resp.Text(wire))
	}
	return nil
}

// subscribed waits briefly for a subscription, which the relay forwards at once. After a connection
// has ended, go-redis may subscribe again at any time, and no verdict depends on it.
func (r *replayer) subscribed(client int) error {
	a := r.actors[client]
	a.subscriptions++
	since := r.environment.Now()
	_, err := r.await(func() bool {
		return a.gone || r.net.subscriptions(client) >= a.subscriptions ||
			r.environment.Now()-since > settled
	})
	if err != nil {
		return err
	}
	r.clock.done(r.now, r.environment.Now())
	return r.awaitRest(client)
}

// exactly is like waitUntil, without the millisecond that a timer may be late.
func (r *replayer) exactly(at int64) error {
	if err := r.waitUntil(at - int64(2*time.Millisecond)); err != nil {
		return err
	}
	for r.environment.Now() < at {
	}
	return nil
}

func nextMillisecond() {
	for ms := time.Now().UnixMilli(); time.Now().UnixMilli() == ms; { // too short to sleep
	}
}

// arrived waits until a command has arrived at the relay.
func (r *replayer) arrived(s counterexample.Step) (m *message, err error) {
	a := r.actors[s.Client]
	sent := a.commands[s.Seq] // nil if it is not traced
	_, err = r.await(func() bool {
		for _, x := range r.net.messages(s.Client, s.Node, false) {
			if x.sent == sent && (sent != nil || r.match.command(s.Command, x.words)) {
				m = x
				return true
			}
		}
		return false
	})
	if err == nil && m == nil {
		err = r.diverged(s, "%s", a.doing(s.Client))
	}
	return m, err
}

// deliver delivers the reply to a command if there is one, or tells the client to stop waiting.
func (r *replayer) deliver(s counterexample.Step) error {
	if gaveUp(s) {
		err := r.hurry(s.Client)
		if r.match.foreign {
			return err // its own timeout ends the wait
		}
		r.environment.Send(s.Client, workloads.Order{Do: workloads.DoGiveUp, Node: s.Node})
		return err
	}
	if s.Err != "" { // its connection has ended
		r.net.tell(s.Client, s.Node)
		return nil
	}
	if err := r.hurry(s.Client); err != nil {
		return err
	}
	sent := r.actors[s.Client].commands[s.Seq]
	for _, m := range r.net.messages(s.Client, s.Node, true) {
		if sent != nil && m.sent == sent {
			r.net.deliver(m)
		}
	}
	return nil
}

// received waits until a client has the reply or has given up.
func (r *replayer) received(s counterexample.Step) error {
	a := r.actors[s.Client]
	sent := a.commands[s.Seq]
	if sent == nil {
		return r.diverged(s, "nothing: it was never sent")
	}
	var got history.Command
	ok, err := r.await(func() (have bool) {
		got, have = a.answers[sent.seq]
		return have || a.gone
	})
	switch {
	case err != nil:
		return err
	case !ok || got.Seq == 0:
		return r.diverged(s, "%s", a.doing(s.Client))
	case s.Err != "" && (got.Err == "" || waited(s.Loss) != waited(got.Why)):
		return r.diverged(s, "the reply %s%s", got.Reply, counterexample.InBrackets(got.Err))
	case s.Err == "" && got.Err != "":
		return r.diverged(s, "no reply%s", counterexample.InBrackets(got.Err))
	case s.Err == "" && !r.match.reply(sent.words, s.Reply, got.Reply):
		return r.diverged(s, "the reply %s", got.Reply)
	case sent.neverComes(got.Why):
		r.net.forget(sent)
	}
	return r.awaitRest(s.Client)
}

// mark waits until a client has reached a phase of its cycle. It first releases a client that waits
// at the breakpoint before that phase.
func (r *replayer) mark(s counterexample.Step) error {
	a := r.actors[s.Client]
	begins := s.Phase == counterexample.Acquire || s.Phase == counterexample.Release
	if nested := len(a.marks) > 0; begins && !nested {
		h, err := r.standing(s, func(h workloads.BreakpointHit) bool {
			return h.Phase == s.Phase && h.N == s.N
		})
		if err != nil {
			return err
		}
		if err := r.hurry(s.Client); err != nil {
			return err
		}
		r.pass(s.Client, h)
	}
	ok, err := r.await(func() bool { return len(a.marks) > 0 || a.gone })
	switch {
	case err != nil:
		return err
	case !ok || len(a.marks) == 0 || a.marks[0].Phase != s.Phase || a.marks[0].N != s.N:
		return r.diverged(s, "%s", a.doing(s.Client))
	}
	a.marks = a.marks[1:]
	return r.awaitRest(s.Client)
}
