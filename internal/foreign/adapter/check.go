package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
	program "github.com/lockbench/lockbench/internal/env/cluster/worker"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Finding is the answer to one question about an adapter.
type Finding struct {
	OK       bool   `json:"ok"`
	Optional bool   `json:"optional,omitempty"` // an adapter may lack it
	Asked    string `json:"asked"`
	Found    string `json:"found,omitempty"`
}

// The lease and the waits of a check. The lease is not a number of whole seconds, which some
// libraries cut off.
const (
	checkTTL  = 2500 * time.Millisecond
	checkWait = 400 * time.Millisecond
	checkKey  = "lock:check"
)

// Check starts two clients of an adapter on a server of its own, sends them every call, and returns
// the findings. It returns an error if it could not ask.
func Check(ctx context.Context, in adapters.Installed, variant string) ([]Finding, error) {
	use, err := in.Use(variant)
	if err != nil {
		return nil, err
	}
	folder, err := server.Scratch()
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	c := checker{in: in, use: use, dir: folder.Path}
	defer c.close()
	if err := c.startServers(); err != nil {
		return nil, err
	}
	c.ask(ctx)
	return c.found, nil
}

// checker sends calls to an adapter and collects the findings.
type checker struct {
	in    adapters.Installed
	use   adapters.Use
	dir   string
	kind  server.Kind // of a system other than Redis, or nil for Redis
	nodes []*server.Node
	ways  []map[string]string // addresses of each node as a client uses them
	admin []server.Admin      // empty for other systems
	// the lock is held by a subscription, and has no key
	keyless bool
	peers   []*remote
	lost    []chan Answer // unasked answers of each peer
	found   []Finding
}

// independentNodes is the number of Redis that a check starts for a library that wants several.
const independentNodes = 3

func (c *checker) startServers() (err error) {
	count := 1
	if c.use.System != nemesis.Redis {
		if c.kind, err = system.Find(c.use.System); err != nil {
			return err
		}
	}
	if c.use.Topology == "independent" {
		count = independentNodes
	}
	for i := range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		name := fmt.Sprintf("n%d", i)
		n, err := server.StartNode(server.NodeConfig{Name: name, Host: "127.0.0.1", Port: port,
			Dir: filepath.Join(c.dir, name), Log: filepath.Join(c.dir, name+".log"), Kind: c.kind})
		if err != nil {
			return err
		}
		if err := c.await(n); err != nil {
			return err
		}
		entrance, fronted := server.FrontOf(n.NodeConfig)
		if fronted {
			front, err := server.StartNode(entrance)
			if err != nil {
				return err
			}
			if err := c.await(front); err != nil {
				return err
			}
		} else {
			entrance = n.NodeConfig
		}
		c.ways = append(c.ways, map[string]string{name: entrance.Addr()})
		if c.kind == nil {
			c.admin = append(c.admin, server.Dial(n.Addr()))
		}
	}
	return c.hasCommands()
}

// hasCommands returns an error if the server lacks a command of the variant.
func (c *checker) hasCommands() error {
	if len(c.use.Commands) == 0 || len(c.admin) == 0 {
		return nil
	}
	lacks, err := c.admin[0].Lacks(c.use.Commands)
	if err == nil && lacks != "" {
		err = errors.New(lacks)
	}
	return err
}

// await waits until a server is ready, and remembers to end it.
func (c *checker) await(n *server.Node) error {
	c.nodes = append(c.nodes, n)
	return n.Ready()
}

func (c *checker) close() {
	for _, r := range c.peers {
		_ = proc.KillGroup(r.child.cmd.Process.Pid)
		<-r.child.gone
		if r.tap != nil {
			r.tap.Close()
		}
	}
	for _, a := range c.admin {
		a.Close()
	}
	for _, n := range c.nodes {
		n.Kill()
	}
}

// say records a finding, and returns whether it is good.
func (c *checker) say(optional bool, asked string, err error, found string) bool {
	f := Finding{OK: err == nil, Optional: optional, Asked: asked, Found: found}
	if err != nil {
		f.Found = err.Error()
	}
	c.found = append(c.found, f)
	return f.OK
}

// silent observes the commands of a client and holds none.
type silent struct{}

func (silent) BeforeSend(context.Context, string, []string)               {}
func (silent) Replied(context.Context, history.Command, tap.Reply)        {}
func (silent) Sent(context.Context, string, []string) (c history.Command) { return c }

// client starts a client and waits until it is ready.
func (c *checker) client(ctx context.Context) (r *remote, ready Answer, err error) {
	i := len(c.peers)
	log, err := os.Create(filepath.Join(c.dir, fmt.Sprintf("c%d.log", i)))
	if err != nil {
		return nil, ready, err
	}
	lost := make(chan Answer, maxSecond)
	cmd := c.in.Command()
	cmd.Env = append(cmd.Env, server.ClientEnv(c.kind)...)
	child, err := start(c.in.Name, cmd, log, usual, func(a Answer) {
		select {
		case lost <- a:
		default:
		}
	})
	if err != nil {
		return nil, ready, err
	}
	r = &remote{child: child, direct: c.kind != nil, cfg: workloads.Config{Process: i,
		Seed: uint64(i), Master: "n0", Keys: []string{checkKey},
		AcquireTimeout: history.Duration(checkWait)}}
	if !c.use.OwnLease {
		r.cfg.TTL = history.Duration(checkTTL)
	}
	if c.use.Declares.Multi {
		r.cfg.Keys = append(r.cfg.Keys, keyBefore, keyAfter)
	}
	r.cfg.Nodes = append(r.cfg.Nodes, c.ways...)
	if !r.direct {
		r.tap = tap.New(silent{}, tap.Settings{Dial: program.Dialer(0, "")})
	}
	c.peers, c.lost = append(c.peers, r), append(c.lost, lost)
	first, err := r.listen(c.use.Options)
	if err == nil {
		err = child.order(first)
	}
	if err != nil {
		return r, ready, err
	}
	select {
	case ready = <-child.ready:
		return r, ready, nil
	case <-child.gone:
		return r, ready, c.why(child)
	case <-time.After(usual.ready):
		return r, ready, fmt.Errorf("it was not ready within %v", usual.ready)
	case <-ctx.Done():
		return r, ready, context.Cause(ctx)
	}
}

// logEnd is the number of log lines that a finding shows. The check deletes the log itself.
const logEnd = 5

// why returns an error that says how a client ended, with the end of its log.
func (c *checker) why(child *child) error {
	err := child.broken
	if err == nil {
		err = fmt.Errorf("its process ended: %v", child.exit)
	}
	if broken, ok := errors.AsType[brokenError](err); ok {
		err = broken.cause
	}
	text, _ := os.ReadFile(child.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if lines = lines[max(0, len(lines)-logEnd):]; lines[0] == "" {
		return fmt.Errorf("%w (its log is empty)", err)
	}
	return fmt.Errorf("%w (its log ends: %.600s)", err, strings.Join(lines, " | "))
}

// perform orders an operation and waits for its end.
func (c *checker) perform(r *remote, o Order) (Answer, error) {
	k, err := r.child.begin(o)
	if err != nil {
		return Answer{}, c.why(r.child)
	}
	if o.Do != doTouch {
		if _, err := r.child.acts(k); err != nil {
			return Answer{}, c.why(r.child)
		}
	}
	const limit = 15 * time.Second
	select {
	case a := <-k.done:
		return a, nil
	case <-r.child.gone:
		return Answer{}, c.why(r.child)
	case <-time.After(limit):
		return Answer{}, fmt.Errorf("it has not answered for %v", limit)
	}
}

// wants orders an operation, and records whether the answer is one of the right ones.
func (c *checker) wants(r *remote, o Order, optional bool, asked string, right ...string) bool {
	a, err := c.perform(r, o)
	if err == nil && !slices.Contains(right, a.Is) {
		err = fmt.Errorf("it answered %q, not %s", a.Is, strings.Join(right, " or "))
		if why := a.Why + a.Err; why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
	}
	found := a.Is
	if a.Why != "" {
		found += ": " + a.Why
	}
	return c.say(optional, asked, err, found)
}

// take returns the order to acquire the lock, as acquisition n.
func take(n int) Order { return Acquire(n, []string{checkKey}, checkWait) }

// ask goes through all questions. It stops if an answer makes the next question pointless.
func (c *checker) ask(ctx context.Context) {
	began := time.Now()
	holder, ready, err := c.client(ctx)
	if !c.say(false, "it starts, and says that it is ready", err, fmt.Sprintf("%v, after %d ms",
		ready.Versions, time.Since(began).Milliseconds())) {
		return
	}
	other, _, err := c.client(ctx) // now: it may take longer than the first one's lease to start
	c.say(false, "a second client starts", err, "")
	c.sayOfKeys("it writes no key of the lock before it is asked to", c.unwritten)
	taken := time.Now()
	if !c.wants(holder, take(1), false, "it acquires a free lock", isAcquired) {
		return
	}
	c.sayOfKeys("the lock is in the Redis that it was told of", c.here)
	c.sayOfKeys("the key is named as adapter.yaml says", c.named)
	if d := c.use.Declares; d.Lease && !d.Watchdog && !c.use.OwnLease { // a watchdog may renew less
		c.sayOfKeys("its key lives for the whole lease", func() error { return livesFor(c, taken) })
	}
	c.wants(holder, Order{Do: doTouch, N: 1}, false, "the holder touches what the lock guards",
		isTouched)
	switch {
	case err != nil:
	case c.use.Declares.Optimistic:
		c.askOptimistic(holder, other)
	default:
		c.wants(other, take(1), false, "it is refused while another has the lock", isRefused)
	}
	if c.use.Declares.Extends {
		c.wants(holder, Extend(1), false, "the holder extends its lease", isExtended)
	}
	if c.use.Declares.Reentrant {
		c.wants(holder, take(2), false, "the holder acquires again", isAcquired)
		c.wants(holder, Release(2), false, "and releases the second", isReleased)
		if err == nil {
			askInner(c, other, taken)
		}
	}
	if !c.wants(holder, Release(1), false, "the holder releases", isReleased) {
		return
	}
	askMinimum(c, taken)
	if kept := keptFor(c); kept != nil {
		c.say(true, "then the second client acquires", kept, "")
		c.ends(holder)
		return
	}
	outlastMinimum(c)
	if c.use.Declares.Cancels && err == nil {
		c.askCancel(holder, other)
	}
	if c.use.Declares.Shared && err == nil {
		c.askShared(holder, other)
	}
	if c.use.Declares.Multi && err == nil {
		askSeveral(c, holder, other)
	}
	if err == nil {
		if !c.wants(other, take(2), false, "then the second client acquires", isAcquired) {
			nameMinimum(c)
		}
		c.wants(other, Release(2), false, "and releases", isReleased)
		outlastMinimum(c)
		askSame(c, holder)
		c.askDeclared(other, holder)
	}
	c.ends(holder)
}

// sayOfKeys records a finding about the keys in Redis.
func (c *checker) sayOfKeys(asked string, look func() error) {
	if c.kind != nil {
		return
	}
	var not notAsked
	err := look()
	c.say(errors.As(err, &not), asked, err, "")
}

// unwritten returns an error if a key of the lock exists. Other keys are not the lock's.
func (c *checker) unwritten() error {
	keys, err := c.names("keys", "*"+checkKey+"*")
	if err == nil && len(keys) > 0 {
		err = fmt.Errorf("there are the keys %q", keys)
	}
	return err
}

// here returns an error unless some Redis has a key, had one that ended by itself, or has a channel
// with a subscriber.
func (c *checker) here() error {
	keys, err := c.names("keys", "*")
	channels, wrong := c.names("pubsub", "channels", "*")
	if err = cmp.Or(err, wrong); err == nil && len(keys)+len(channels) == 0 && expired(c.admin) == 0 {
		err = fmt.Errorf("no key exists; it must use the addresses of its config")
	}
	return err
}

// names returns the names that the servers answer to a command.
func (c *checker) names(args ...any) (all []string, err error) {
	for _, a := range c.admin {
		more, err := a.Do(context.Background(), args...).StringSlice()
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// key returns the name of the lock's key in Redis by the manifest.
func (c *checker) key() string {
	if c.use.Key == "" {
		return checkKey
	}
	return strings.ReplaceAll(c.use.Key, "{key}", checkKey)
}

// named returns an error unless a key has the name in the manifest. A lock that is held by a
// subscription has no key, and its channel has the name.
func (c *checker) named() error {
	name := c.key()
	keys, err := c.names("keys", "*")
	if err != nil || slices.Contains(keys, name) {
		return err
	}
	keys = slices.DeleteFunc(keys, func(k string) bool { return !strings.Contains(k, checkKey) })
	channels, err := c.names("pubsub", "channels", "*")
	c.keyless = len(keys) == 0 && slices.Contains(channels, name)
	if err != nil || c.keyless {
		return err
	}
	if len(keys) == 0 && expired(c.admin) > 0 {
		return notAsked("its lease is over")
	}
	return fmt.Errorf("the key %q does not exist, only %q; say its name under key", name, keys)
}

// ends closes a client's input.
func (c *checker) ends(r *remote) {
	const limit = 500 * time.Millisecond
	r.child.close()
	var err error
	select {
	case <-r.child.gone:
		err = r.child.exit
	case <-time.After(limit):
		err = fmt.Errorf("it still runs after %v", limit)
	}
	c.say(true, "it ends when its standard input ends", err, "")
}

// Good reports whether all mandatory findings are good.
func Good(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return !f.OK && !f.Optional })
}

// Text writes findings for people.
func Text(w io.Writer, findings []Finding) error {
	for _, f := range findings {
		mark := "✓"
		switch {
		case !f.OK && f.Optional:
			mark = "–"
		case !f.OK:
			mark = "✕"
		}
		line := mark + " " + f.Asked
		if f.Found != "" {
			line += ": " + f.Found
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
