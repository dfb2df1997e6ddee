package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Dial opens a connection from this client to an address out of Config.Nodes. An environment
// provides it.
type Dial func(ctx context.Context, address string) (net.Conn, error)

// quiet keeps go-redis from writing to standard error.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// Silence silences go-redis' own log, for a whole process.
func Silence() { redis.SetLogger(quiet{}) }

// route is the way of a go-redis client to a Redis: to the node that the harness named last.
type route struct {
	dial   Dial
	begin  func() // called before the route decides where to connect
	nodes  map[string]string
	spares map[string]string

	announced map[string]string // of a client with sentinels
	sentinels []string          // the addresses that lead to them

	mu   sync.Mutex
	way  map[string]string // nodes, or spares since the harness said so
	node string
	// every connection since the last redirect; closed ones stay until then, there are few
	open   []*waiting
	asks   atomic.Int64 // replies that were waited for
	made   int          // connections so far
	madeTo string       // the node of the latest
}

func newRoute(dial Dial, nodes, spares map[string]string, master string) *route {
	r := &route{dial: dial, nodes: nodes, spares: spares, way: nodes, node: master}
	if _, ok := nodes[master]; !ok && len(nodes) > 0 {
		// of independent masters with replicas: n1 and not r1
		r.node = slices.Min(slices.Collect(maps.Keys(nodes)))
	}
	return r
}

func (r *route) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.node
}

// target returns the node to connect to, and the address of the way to it.
func (r *route) target() (node, address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.node, r.way[r.node]
}

// connectTo dials the addresses that Sentinel gives to a client: a sentinel itself, or a node. The
// route replaces the node's address with the client's own way to it. go-redis also tries the
// addresses that the sentinels use among themselves. Those would bypass the client's links and,
// from outside of the servers' network, reach another machine.
func (r *route) connectTo(ctx context.Context, network, address string) (net.Conn, error) {
	node, ok := r.announced[address]
	if !ok {
		if !slices.Contains(r.sentinels, address) {
			return nil, &net.OpError{Op: "dial", Net: "tcp",
				Err: fmt.Errorf("%s is not the client's way to a sentinel", address)}
		}
		return r.dial(ctx, address)
	}
	r.mu.Lock()
	r.node = node
	r.mu.Unlock()
	return r.connect(ctx, network, address)
}

func (r *route) connect(ctx context.Context, _, _ string) (net.Conn, error) {
	r.begin()
	node, address := r.target()
	c, err := r.dial(ctx, address)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if node != r.node {
		c.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp",
			Err: fmt.Errorf("directed from %s to %s meanwhile", node, r.node)}
	}
	w := &waiting{Conn: c, asks: &r.asks}
	r.open = append(r.open, w)
	r.made, r.madeTo = r.made+1, node
	return w.forClient(), nil
}

// answeredBy returns the node that answered a command. The command left when node was current and
// the route had made that many connections. A redirect closes all older connections, so that a
// reply after a redirect came over a newer one.
func (r *route) answeredBy(node string, made int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made > made {
		return r.madeTo
	}
	return node
}

// connections returns the number of connections so far.
func (r *route) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made
}

// redirect directs all later connections to node, and closes the connections to other nodes. For
// nemesis.Spare, it directs them by the second way to the same node.
func (r *route) redirect(node string) error {
	if node == nemesis.Spare {
		return r.evade()
	}
	if _, ok := r.nodes[node]; !ok {
		return fmt.Errorf("no node %q to be directed to", node)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if node == r.node {
		return nil
	}
	r.node = node
	for _, c := range r.open {
		c.Close()
	}
	r.open = nil
	return nil
}

func (r *route) evade() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spares == nil {
		return errors.New("the nodes have no second link")
	}
	r.way = r.spares
	return nil
}

// redirect redirects all routes of a client that know the node.
func redirect(routes []*route, node string) error {
	var err error
	known := node == nemesis.Spare
	for _, r := range routes {
		if _, ok := r.nodes[node]; ok || node == nemesis.Spare {
			err, known = errors.Join(err, r.redirect(node)), true
		}
	}
	if !known {
		return fmt.Errorf("no node %q to be directed to", node)
	}
	return err
}

// MasterName is the sentinels' name of the master.
const MasterName = "lockbench"

// The buffers are ample for the replies and for the longest script of a lock; go-redis' own 64 KiB
// for each connection would be half of what a simulated run allocates.
const (
	readBuffer  = 1 << 10
	writeBuffer = 2 << 10
)

// retries returns how often the Redis client resends a command.
func (c Config) retries() int {
	if c.ClientRetries == nil {
		return 0
	}
	return *c.ClientRetries
}

// newRedis creates a client without the settings that could hide a failure: it does not resend
// unless asked to, makes no unnecessary handshake and does not redial. See docs/running.md,
// go-redis.
func newRedis(r *route, c Config, hook redis.Hook) redis.UniversalClient {
	t := c.ClientTimeout.D()
	retries := c.retries()
	if retries == 0 {
		retries = -1 // what go-redis calls "none"
	}
	o := &redis.UniversalOptions{
		// the route decides; an IP literal keeps go-redis from resolving a name
		Addrs: []string{"127.0.0.1:6379"}, Dialer: r.connect,
		MaxRetries: retries, DialerRetries: 1, MinRetryBackoff: -1, MaxRetryBackoff: -1,
		DialTimeout: t, ReadTimeout: t, WriteTimeout: t, ContextTimeoutEnabled: true,
		Protocol: 2, DisableIdentity: true, ReadBufferSize: readBuffer, WriteBufferSize: writeBuffer,
		PoolSize: 16, PipelinePoolSize: -1, // pipelines over the connections of all other commands
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled},
	}
	if len(c.Sentinels) > 0 {
		o.Addrs, o.MasterName, o.Dialer = slices.Clone(c.Sentinels), MasterName, r.connectTo
		r.sentinels, r.announced = c.Sentinels, c.Announced
	}
	if c.Cluster {
		return newCluster(r, c, o.Simple(), hook.(tracer))
	}
	cl := redis.NewUniversalClient(o)
	cl.AddHook(hook)
	return cl
}

// tracer is the go-redis hook that writes the trace and stops at breakpoints.
type tracer struct {
	commands *commands
	r        *route
	node     string // the node of a cluster, or "" for the route's
	retries  bool   // the client sends a command again if it gets no reply
}

// targetNode returns the node that a command goes to.
func (t tracer) targetNode() string {
	if t.node != "" {
		return t.node
	}
	return t.r.current()
}

// handshake lists the commands that go-redis sends by itself, to connect or to find the nodes of a
// cluster. They are neither traced nor stopped.
var handshake = []string{"hello", "client", "auth", "select", "cluster", "command",
	"asking"}

func (t tracer) DialHook(next redis.DialHook) redis.DialHook { return next }

func (t tracer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if slices.Contains(handshake, cmd.Name()) {
			return next(ctx, cmd)
		}
		sent := t.beforeSend(ctx, cmd)
		made := t.r.connections()
		err := t.send(ctx, &sent, cmd, next)
		if replied := (redis.Error)(nil); err == nil || errors.As(err, &replied) {
			t.answered(&sent, made)
		} else {
			err = t.doubt(cmd, err)
		}
		t.recordReply(ctx, sent, cmd, err)
		return err
	}
}

// doubt returns the error of a command that was not answered. If the client sends commands again,
// a failed connection says only that the last try did not leave.
func (t tracer) doubt(cmd redis.Cmder, err error) error {
	if t.retries && dialling(err) {
		err = lostError{err.Error(), history.BrokenOff}
		cmd.SetErr(err)
	}
	return err
}

// send passes a command on, unless a fault strikes it. A client that sends commands again does so
// with one that was lost, or whose reply was.
func (t tracer) send(ctx context.Context, sent *history.Command, cmd redis.Cmder,
	next redis.ProcessHook) (err error) {
	what := t.commands.fault.Swap(nil)
	if what == nil || *what != nemesis.Drop {
		err = next(ctx, cmd)
	}
	switch {
	case what == nil:
	case *what == nemesis.Duplicate:
		twin := redis.NewCmd(ctx, cmd.Args()...)
		sent := t.commands.Sent(ctx, t.targetNode(), words(twin))
		t.recordReply(ctx, sent, twin, next(ctx, twin))
	case t.retries:
		sent.Again++
		err = next(ctx, cmd)
	default:
		err = io.ErrUnexpectedEOF
		if c, ok := cmd.(*redis.Cmd); ok {
			c.SetVal(nil) // a lost reply tells its caller nothing
		}
		cmd.SetErr(err)
	}
	return err
}

func (t tracer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		var sent []history.Command
		for _, c := range cmds {
			if !slices.Contains(handshake, c.Name()) {
				sent = append(sent, t.beforeSend(ctx, c))
			}
		}
		err := next(ctx, cmds)
		for _, c := range cmds {
			if !slices.Contains(handshake, c.Name()) {
				t.recordReply(ctx, sent[0], c, t.doubt(c, c.Err()))
				sent = sent[1:]
			}
		}
		return err
	}
}

// beforeSend stops at a breakpoint, then records that the command leaves. Only then is its node
// certain: the client may have been redirected while it waited there.
func (t tracer) beforeSend(ctx context.Context, cmd redis.Cmder) history.Command {
	args := words(cmd)
	t.commands.BeforeSend(ctx, t.targetNode(), args)
	return t.commands.Sent(ctx, t.targetNode(), args)
}

func words(cmd redis.Cmder) []string {
	args := make([]string, len(cmd.Args()))
	for i, a := range cmd.Args() {
		args[i] = argument(a)
	}
	return args
}

// answered records the node that answered a command. The route had made that many connections when
// the command left.
func (t tracer) answered(sent *history.Command, made int) {
	if t.node != "" {
		t.r.answered(t.node)
		return
	}
	sent.Node = t.r.answeredBy(sent.Node, made)
}

// recordReply records the reply, then stops at a breakpoint.
func (t tracer) recordReply(ctx context.Context, c history.Command, cmd redis.Cmder, err error) {
	done, unsure := history.Command{Node: c.Node, Again: c.Again}, false
	var said redis.Error
	switch {
	case err == redis.Nil:
		done.Reply = "(nil)"
	case errors.As(err, &said):
		done.Reply = "(error) " + said.Error()
	case err != nil:
		done.Err, done.Why = err.Error(), loss(err)
		unsure = !impls.Definite(err)
	default:
		done.Reply = reply(cmd)
	}
	t.commands.Replied(ctx, c, done, unsure)
}

// loss returns the reason why a reply was not read. A context that ended before the command left is
// not a time-out: only a connection that was waited for shows that a network or a machine stalled.
func loss(err error) history.Loss {
	if hidden, ok := errors.AsType[lostError](err); ok {
		return hidden.why
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Timeout() || errors.Is(err, redis.ErrPoolTimeout):
		return history.TimedOut
	case op != nil && op.Op == "dial":
		return history.NotSent
	case errors.Is(err, context.Canceled):
		return history.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return history.Expired
	}
	return history.BrokenOff
}

// argument works like fmt.Sprint, but faster for the usual types.
func argument(a any) string {
	switch a := a.(type) {
	case string:
		return a
	case int64:
		return strconv.FormatInt(a, 10)
	}
	return fmt.Sprint(a)
}

// reply returns go-redis' text of a reply, without the arguments of the command.
func reply(cmd redis.Cmder) string {
	if c, ok := cmd.(*redis.Cmd); ok {
		switch v := c.Val().(type) {
		case string, int64:
			return argument(v)
		}
	}
	args := redis.NewCmd(context.Background(), cmd.Args()...).String()
	return strings.TrimPrefix(strings.TrimPrefix(cmd.String(), args), ": ")
}

// pingTimeout bounds the wait for a first connection. pingPause is the pause between two tries.
const (
	pingTimeout = 10 * time.Second
	pingPause   = 50 * time.Millisecond
)
