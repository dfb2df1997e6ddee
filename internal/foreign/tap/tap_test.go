package tap

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// direct connects without anything to say before.
func direct(ctx context.Context, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// notes is an Observer that keeps what it is told, and stops where a test says.
type notes struct {
	mu            sync.Mutex
	all           []history.Command
	hold, keep    string        // a command that is held back, that is not answered
	stands, going chan struct{} // what stands there, and what lets it go
}

func observer() *notes {
	return &notes{stands: make(chan struct{}, 8), going: make(chan struct{})}
}

func (n *notes) stop(ctx context.Context, at bool) {
	if !at {
		return
	}
	n.stands <- struct{}{}
	select {
	case <-n.going:
	case <-ctx.Done():
	}
}

func (n *notes) BeforeSend(ctx context.Context, _ string, args []string) {
	n.stop(ctx, strings.EqualFold(args[0], n.hold))
}

func (n *notes) Sent(_ context.Context, node string, args []string) history.Command {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := history.Command{Seq: len(n.all) + 1, Node: node, Args: args}
	n.all = append(n.all, c)
	return c
}

func (n *notes) Replied(ctx context.Context, sent history.Command, r Reply) {
	n.mu.Lock()
	c := &n.all[sent.Seq-1]
	c.Reply, c.Err, c.Why = r.Text, r.Err, r.Why
	c.Recv++
	n.mu.Unlock()
	n.stop(ctx, strings.EqualFold(sent.Args[0], n.keep))
}

// lines shows what was noted.
func (n *notes) lines() (all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.all {
		line := fmt.Sprintf("%s %s: %s", c.Node, c, c.Reply)
		if c.Err != "" {
			line = fmt.Sprintf("%s %s: lost (%s)", c.Node, c, c.Why)
		}
		if c.Recv != 1 {
			line += fmt.Sprintf(" (ended %d times)", c.Recv)
		}
		all = append(all, line)
	}
	return all
}

// want compares what was noted.
func (n *notes) want(t *testing.T, want ...string) {
	t.Helper()
	if got := n.lines(); !slices.Equal(got, want) {
		t.Errorf("it was told\n  %s\nand not\n  %s", strings.Join(got, "\n  "),
			strings.Join(want, "\n  "))
	}
}

// client is the client's end of a connection through a tap.
type client struct {
	net.Conn
	t *testing.T
	r *resp.Reader
}

func connect(t *testing.T, address string) *client {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{c, t, resp.NewReader(c)}
}

// say sends commands at once.
func (c *client) say(commands ...string) {
	var w resp.Writer
	for _, line := range commands {
		w.Command(strings.Fields(line)...)
	}
	if _, err := c.Write(w.B); err != nil {
		c.t.Error(err)
	}
}

// hears wants replies, as resp.Text shows them; "END" is the end of the connection.
func (c *client) hears(want ...string) {
	c.t.Helper()
	for _, text := range want {
		wire, err := c.r.Reply()
		got := "END"
		if err == nil {
			got = resp.Text(wire)
		}
		if got != text {
			c.t.Fatalf("the client hears %q and not %q (%v)", got, text, err)
		}
	}
}

// until asks again and again.
func (c *client) until(command, want string) {
	for {
		c.say(command)
		wire, err := c.r.Reply()
		if err != nil {
			c.t.Fatal(err)
		}
		if resp.Text(wire) == want {
			return
		}
	}
}

// tapped is a tap before nodes n0 and n1, and a client.
func tapped(t *testing.T, o *notes) (*Tap, *client) {
	tap := New(o, Settings{Dial: direct, Log: func(s string) { t.Log(s) }})
	t.Cleanup(tap.Close)
	address, err := tap.Listen(Ways{Nodes: map[string]string{"n0": Serve(t), "n1": Serve(t)}})
	if err != nil {
		t.Fatal(err)
	}
	return tap, connect(t, address)
}

// TestTheTrace wants each command once with its reply, in order, and no greetings.
func TestTheTrace(t *testing.T) {
	t.Parallel()
	o := observer()
	_, c := tapped(t, o)
	c.say("HELLO 2", "SET k v NX PX 1000", "SET k w NX PX 1000", "GET k", "NOT there")
	_, _ = c.r.Reply()
	c.hears("OK", "(nil)", "v",
		"(error) ERR unknown command 'NOT', with args beginning with: 'there' ")
	o.want(t, "n0 SET k v NX PX 1000: OK", "n0 SET k w NX PX 1000: (nil)", "n0 GET k: v",
		"n0 NOT there: (error) ERR unknown command 'NOT', with args beginning with: 'there' ")
}

// TestATransaction wants the replies of queued commands to be those that EXEC gives.
func TestATransaction(t *testing.T) {
	t.Parallel()
	o := observer()
	_, c := tapped(t, o)
	c.say("MULTI", "SET k v", "GET k", "EXEC", "GET k")
	c.hears("OK", "QUEUED", "QUEUED", "[OK v]", "v")
	o.want(t, "n0 MULTI: OK", "n0 SET k v: OK", "n0 GET k: v", "n0 EXEC: [OK v]", "n0 GET k: v")
}

// TestSubscribers wants messages to be passed on, to end no command, and each channel's
// confirmation to be counted.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	o := observer()
	tap, c := tapped(t, o)
	c.say("SUBSCRIBE a b", "PING")
	c.hears("[subscribe a 1]", "[subscribe b 2]", "[pong ]")
	other := connect(t, tap.listeners[0].Addr().String())
	other.say("PUBLISH a x")
	other.hears("1")
	c.hears("[message a x]")
	c.say("UNSUBSCRIBE", "GET k")
	c.hears("[unsubscribe a 1]", "[unsubscribe b 0]", "(nil)")
	o.want(t, "n0 PUBLISH a x: 1", "n0 GET k: (nil)")
}

// TestRefusals wants what a tap cannot pass on to be answered in its place.
func TestRefusals(t *testing.T) {
	t.Parallel()
	o := observer()
	_, c := tapped(t, o)
	c.say("SET k v", "CLIENT REPLY OFF", "GET k")
	c.hears("OK",
		"(error) ERR CLIENT REPLY suppresses replies, and a tap needs them to see results", "v")
	_, _ = c.Write([]byte("\x16\x03\x01\x02\x00\x01\x00"))
	c.hears("(error) ERR this address does not speak TLS", "END")
}

// TestBreakpoints wants a command that is held back not to be executed, and a reply that is
// withheld to be known before the client has it.
func TestBreakpoints(t *testing.T) {
	t.Parallel()
	o := observer()
	o.hold, o.keep = "SET", "GET"
	_, c := tapped(t, o)
	c.say("EXISTS k", "SET k v", "GET k")
	c.hears("0")
	<-o.stands
	o.want(t, "n0 EXISTS k: 0")
	o.going <- struct{}{}
	c.hears("OK")
	<-o.stands
	o.want(t, "n0 EXISTS k: 0", "n0 SET k v: OK", "n0 GET k: v")
	o.going <- struct{}{}
	c.hears("v")
}

// TestAHeldCommandArrivesLate wants a command that a client has given up on to be executed when it
// is let go.
func TestAHeldCommandArrivesLate(t *testing.T) {
	t.Parallel()
	o := observer()
	o.hold = "SET"
	tap, c := tapped(t, o)
	c.say("SET k v")
	<-o.stands
	c.Close()
	other := connect(t, tap.listeners[0].Addr().String())
	o.going <- struct{}{}
	other.until("EXISTS k", "1")
}

// TestRedirect wants connections to the former node to end, and new ones to go to the new.
func TestRedirect(t *testing.T) {
	t.Parallel()
	o := observer()
	tap, c := tapped(t, o)
	c.say("SET k v")
	c.hears("OK")
	if err := tap.Redirect("n9"); err == nil {
		t.Error("it is led to a node that there is not")
	}
	if err := tap.Redirect("n1"); err != nil {
		t.Fatal(err)
	}
	c.hears("END")
	again := connect(t, tap.listeners[0].Addr().String())
	again.say("EXISTS k")
	again.hears("0")
	o.want(t, "n0 SET k v: OK", "n1 EXISTS k: 0")
}

// TestAHeldCommandGoesElsewhere wants a command that is held back to leave for the node that the
// client was directed to meanwhile, over the same connection; but where the server was promised
// something else, the connection ends.
func TestAHeldCommandGoesElsewhere(t *testing.T) {
	t.Parallel()
	for first, want := range map[string][]string{
		"SELECT 0": {"n1 GET k: (nil)", "n1 EXISTS k: 0"},
		"WATCH k":  {"n0 WATCH k: OK"},
	} {
		o := observer()
		o.hold = "GET"
		tap, c := tapped(t, o)
		c.say("HELLO 2")
		if _, err := c.r.Reply(); err != nil {
			t.Fatal(err)
		}
		c.say(first, "GET k")
		c.hears("OK")
		<-o.stands
		if err := tap.Redirect("n1"); err != nil {
			t.Fatal(err)
		}
		if len(want) == 1 {
			c.hears("END")
		} else {
			o.going <- struct{}{}
			c.say("EXISTS k")
			c.hears("(nil)", "0")
		}
		o.want(t, want...)
	}
}

// TestAHeldCommandOfALostConnection wants the client of a held command to see the end of its
// connection where the other node cannot be reached, and the command never to leave.
func TestAHeldCommandOfALostConnection(t *testing.T) {
	t.Parallel()
	o := observer()
	o.hold = "GET"
	tap := New(o, Settings{Dial: direct})
	t.Cleanup(tap.Close)
	address, err := tap.Listen(Ways{Nodes: map[string]string{"n0": Serve(t), "n1": "127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, address)
	c.say("GET k")
	<-o.stands
	if err := tap.Redirect("n1"); err != nil {
		t.Fatal(err)
	}
	o.going <- struct{}{}
	c.hears("END")
	o.want(t)
}

// TestWhatBefallsTheNextCommand: it is lost, or its reply is, or it arrives twice and the client
// hears of it once. Greetings are not meant.
func TestWhatBefallsTheNextCommand(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct{ hears, is, trace []string }{
		nemesis.Drop:   {[]string{"END"}, []string{"(nil)"}, []string{"n0 INCR k: lost (broken-off)"}},
		nemesis.Strand: {[]string{"END"}, []string{"1"}, []string{"n0 INCR k: lost (broken-off)"}},
		nemesis.Duplicate: {[]string{"1", "2"}, []string{"2"}, []string{"n0 INCR k: 1", "n0 INCR k: 2",
			"n0 GET k: 2"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := observer()
			tap, c := tapped(t, o)
			tap.FaultNext(what)
			c.say("PING")
			c.hears("PONG")
			c.say("INCR k")
			if len(want.hears) > 1 {
				c.say("GET k")
			}
			c.hears(want.hears...)
			again := connect(t, tap.listeners[0].Addr().String())
			if what == nemesis.Strand {
				again.until("GET k", want.is[0]) // it may still be on its way
				return
			}
			again.say("GET k")
			again.hears(want.is...)
			got := o.lines()
			// a client hears that its connection has ended before the observer does
			for limit := time.Now().Add(10 * time.Second); strings.Contains(got[0], "ended 0 times") &&
				time.Now().Before(limit); got = o.lines() {
				time.Sleep(time.Millisecond)
			}
			if !slices.Equal(got[:len(got)-1], want.trace) {
				t.Errorf("the trace is %q, not %q", got, want.trace)
			}
		})
	}
}
