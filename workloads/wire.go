package workloads

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// wire is a connection of a linked lock. It reports the passing commands and replies to the worker,
// as the worker's hook does for go-redis. The worker may let them wait, and then a write or a read
// takes longer.
type wire struct {
	net.Conn // to the node
	l        *linked
	r        *route
	node     string
	turn     time.Duration // see Write
	life     context.Context
	end      context.CancelFunc

	writing []byte // start of a command that is still incomplete

	mu      sync.Mutex
	talk    resp.Conversation
	asked   []history.Command // without a complete reply, oldest first; quiet ones have no Seq
	twins   []bool            // for each of asked: it is a copy that a fault sent, not the client
	tx      []history.Command // queued in a transaction
	muted   bool              // the next reply answers such a copy, and the client must not see it
	why     error             // error of the latest read, if it failed
	reading []byte            // start of a reply that is still incomplete
	ready   []byte            // whole replies that were not read
}

// dial opens a connection to a server, by number.
func (l *linked) dial(ctx context.Context, server int, r *route) (net.Conn, error) {
	conn, err := r.connect(ctx, "", "")
	if err != nil {
		return nil, err
	}
	c := &wire{Conn: conn, l: l, r: r, node: r.current()}
	c.life, c.end = context.WithCancel(l.w.lifetime.life)
	if len(l.routes) > 1 {
		c.turn = time.Duration(64*server+r.connections()%64) * time.Nanosecond
	}
	return c, nil
}

// Write sends commands when the worker lets them pass. Commands to several servers at the same
// moment leave some nanoseconds apart, always in the same order.
func (c *wire) Write(b []byte) (int, error) {
	c.l.w.env.Breathe()
	time.Sleep(c.turn)
	c.writing = append(c.writing, b...)
	var out []byte
	for {
		args, rest, err := resp.Command(c.writing)
		if err != nil {
			return 0, err
		}
		if args == nil {
			break
		}
		command := c.writing[:len(c.writing)-len(rest)]
		c.writing = slices.Clone(rest)
		c.send(args, false)
		if out, err = c.applyFault(args, command, out); err != nil {
			return 0, err
		}
	}
	if _, err := c.Conn.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// applyFault applies the pending fault to a command and appends the resulting bytes to out. If the
// connection breaks, the client notices at its next call.
func (c *wire) applyFault(args []string, command, out []byte) ([]byte, error) {
	what := ""
	if !greets(args) {
		if next := c.l.fault.Swap(nil); next != nil {
			what = *next
		}
	}
	switch what {
	case nemesis.Drop:
		return nil, errors.Join(io.ErrUnexpectedEOF, c.Close())
	case nemesis.Strand:
		_, err := c.Conn.Write(append(out, command...))
		return nil, errors.Join(io.ErrUnexpectedEOF, err, c.Close())
	case nemesis.Duplicate:
		c.send(args, true)
		out = append(out, command...)
	}
	return append(out, command...), nil
}

// send waits until a command may leave, and records it. The client does not see a twin.
func (c *wire) send(args []string, twin bool) {
	sent := history.Command{Args: args}
	switch {
	case twin:
		sent = c.l.w.Sent(c.life, c.node, args)
	case !greets(args):
		c.l.w.BeforeSend(c.life, c.r.current(), args)
		c.follow()
		sent = c.l.w.Sent(c.life, c.node, args)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.talk.Ask(args)
	c.asked = append(c.asked, sent)
	c.twins = append(c.twins, twin)
}

// follow connects to the present node after the client was redirected at a breakpoint. A connection
// with a command under way is kept until it ends.
func (c *wire) follow() {
	c.mu.Lock()
	idle := len(c.asked) == 0
	c.mu.Unlock()
	if !idle || c.r.current() == c.node {
		return
	}
	if conn, err := c.r.connect(c.life, "", ""); err == nil {
		c.Conn.Close()
		c.Conn, c.node = conn, c.r.current()
	}
}

// quietCommands lists the commands that clients send by themselves or that do nothing to a lock.
var quietCommands = []string{"hello", "client", "auth", "select", "quit", "ping", "info", "command",
	"readonly", "script", "subscribe", "unsubscribe", "psubscribe", "punsubscribe"}

func greets(args []string) bool { return slices.Contains(quietCommands, strings.ToLower(args[0])) }

// Read returns replies when the worker lets them pass.
func (c *wire) Read(p []byte) (int, error) {
	for {
		if n := c.take(p); n > 0 {
			return n, nil
		}
		n, err := c.Conn.Read(p)
		if err != nil {
			c.mu.Lock()
			c.why = err
			c.mu.Unlock()
			return 0, err
		}
		if err := c.arrived(p[:n]); err != nil {
			return 0, err
		}
	}
}

func (c *wire) take(p []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n
}

// arrived takes bytes from the node. The client sees only complete replies.
func (c *wire) arrived(b []byte) error {
	c.reading = append(c.reading, b...)
	for {
		size, err := resp.Size(c.reading)
		if err != nil || size == 0 {
			return err
		}
		reply := slices.Clone(c.reading[:size])
		c.reading = c.reading[size:]
		for _, a := range c.match(reply) {
			c.l.Grants.Replied(c.l.w, a.sent, a.done)
			c.l.w.Replied(c.life, a.sent, a.done, false)
		}
		c.mu.Lock()
		if !c.muted {
			c.ready = append(c.ready, reply...)
		}
		c.muted = false
		c.mu.Unlock()
	}
}

// ended is a command with its end.
type ended struct{ sent, done history.Command }

// match finds the commands that a reply ends.
func (c *wire) match(wire []byte) (all []ended) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 || c.talk.Take(wire) != resp.Whole {
		return nil
	}
	q := c.asked[0]
	c.muted = c.twins[0]
	c.asked, c.twins = c.asked[1:], c.twins[1:]
	ends, queued := resp.Ends(wire, q.Args[0], q, c.tx)
	c.tx = queued
	for _, e := range ends {
		if e.Command.Seq > 0 {
			all = append(all, ended{e.Command, history.Command{Node: c.node, Reply: e.Text}})
		}
	}
	return all
}

// Close settles the commands without a reply: the client has given up on them, or broke off.
func (c *wire) Close() error {
	c.end()
	c.mu.Lock()
	all, why := append(c.tx, c.asked...), c.why
	c.tx, c.asked, c.twins = nil, nil, nil
	c.mu.Unlock()
	done := history.Command{Node: c.node, Err: "the client closed the connection",
		Why: history.BrokenOff}
	if why != nil {
		done.Err = why.Error()
	}
	if errors.Is(why, os.ErrDeadlineExceeded) {
		done.Why = history.TimedOut
	}
	for _, sent := range all {
		if sent.Seq > 0 {
			c.l.w.Replied(c.l.w.lifetime.life, sent, done, true)
		}
	}
	return c.Conn.Close()
}

// SyscallConn lets go-redis check whether the other end has closed the connection.
func (c *wire) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
