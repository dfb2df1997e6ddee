package workloads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// Grants finds the commands of a Remote's acquire that made the grant: on each node, the last
// command that changed a key of the call, or may have. It does not guess. It is safe for concurrent
// use.
type Grants struct {
	Scripts *Scripts
	Lease   time.Duration // of a command that names none; 0 if unknown
	Masters int           // number of independent masters; 0 and 1 mean one
	// Key returns the Redis key for a name; nil keeps the name.
	Key func(name string) string

	held atomic.Int64 // the client's present acquisition, or 0

	mu   sync.Mutex
	keys []string
	last map[keyOn]granting
}

// NewGrants returns the grants of a client. The library has this lease if the run tells it none, or
// no lease for 0.
func NewGrants(c Config, lease time.Duration, key func(name string) string, s *Scripts) *Grants {
	if lease > 0 {
		lease = cmp.Or(c.TTL.D(), lease)
	}
	return &Grants{Scripts: s, Lease: lease, Masters: len(c.Nodes), Key: key}
}

// keyOn is one of the keys on one node.
type keyOn struct{ node, key string }

// granting is a command that may have created the key.
type granting struct {
	sent  int64
	lease time.Duration // 0 if unknown
}

// Expect starts the record of an acquire of keys by their names.
func (g *Grants) Expect(names []string) {
	keys := g.KeyNames(names)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys, g.last = keys, map[keyOn]granting{}
}

// KeyNames implements Remote.
func (g *Grants) KeyNames(names []string) []string {
	keys := slices.Clone(names)
	for i, name := range names {
		if g.Key != nil {
			keys[i] = g.Key(name)
		}
	}
	return keys
}

// Replied handles the end of a command of a worker's process. The command may be the grant, or
// prolong it.
func (g *Grants) Replied(w *Worker, sent, done history.Command) {
	n := g.held.Load()
	if n == 0 {
		g.See(sent, done)
	} else if to, ok := g.Prolongs(sent, done); ok {
		w.Extended(int(n), to)
	}
}

// Begin says that acquisition n is granted from now on, and End that it is released.
func (g *Grants) Begin(n int) { g.held.CompareAndSwap(0, int64(n)) }

// End is the opposite of Begin.
func (g *Grants) End(n int) { g.held.CompareAndSwap(int64(n), 0) }

// See records the end of a command that a client sent before it has the lock. It ignores renewals,
// which may belong to the hold before, or to this hold, whose acquire has not returned yet, and
// deletions, by which a client gives back what an earlier try took.
func (g *Grants) See(sent, done history.Command) {
	g.learn(sent.Args)
	lease, ok := takes(sent.Args, done)
	if !ok || g.takesNothing(sent.Args) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note(sent, lease)
}

// takesNothing reports whether a command runs a script that can only renew a lease or delete.
func (g *Grants) takesNothing(args []string) bool {
	s := g.Scripts.lookup(args)
	return (s.prolongs || s.deletes) && !s.creates
}

// note records a command as the latest one of each key that it names.
func (g *Grants) note(sent history.Command, lease time.Duration) {
	for _, k := range g.keysOf(sent.Args) {
		g.last[keyOn{sent.Node, k}] = granting{sent.Sent, lease}
	}
}

// keysOf returns the keys of the call that a command names.
func (g *Grants) keysOf(args []string) (named []string) {
	for _, k := range g.keys {
		if slices.Contains(args[1:], k) {
			named = append(named, k)
		}
	}
	return named
}

// takes reports whether a command with this end may have taken a lock, and the lease that it names.
func takes(args []string, done history.Command) (lease time.Duration, ok bool) {
	if len(args) < 2 || done.Err != "" || strings.HasPrefix(done.Reply, "(error)") {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "set":
		return expiryOf(args), created(args, done.Reply) && (done.Reply == "OK" || asksOld(args))
	case "setnx":
		return 0, done.Reply == "1"
	case "eval", "evalsha", "fcall":
		return 0, true
	}
	return 0, false
}

// expiryOf returns the lease that a SET names, or 0 if it names none.
func expiryOf(args []string) time.Duration {
	for i, word := range args[:len(args)-1] {
		n, err := strconv.ParseInt(args[i+1], 10, 64)
		if err != nil {
			continue
		}
		switch strings.ToLower(word) {
		case "px":
			return time.Duration(n) * time.Millisecond
		case "ex":
			return time.Duration(n) * time.Second
		}
	}
	return 0
}

// Prolongs returns the lease that a holder's command has prolonged, and false if it has not. With
// several keys, the lease ends with the first of them. With independent masters, it ends when a
// majority has no longer lease. Prolongs does not guess the effect of a script if its text is
// unknown. It ignores a command that was sent after the lease on its node was over: the client had
// no key left to prolong.
func (g *Grants) Prolongs(sent, done history.Command) (to Granted, ok bool) {
	g.learn(sent.Args)
	g.mu.Lock()
	defer g.mu.Unlock()
	to = Granted{Node: sent.Node}
	to.Sent, to.Lease = time.Duration(sent.Sent), g.Lease
	named, ok := g.prolonged(sent.Args, done)
	if !ok || g.leaseOver(sent) {
		return to, false
	}
	before := g.end()
	to.Lease = cmp.Or(named, g.Lease)
	g.note(sent, to.Lease)
	if g.Masters <= 1 && len(g.keys) == 1 {
		return to, true
	}
	end := g.end()
	if to.Sent = end - to.Lease; g.Masters > 1 {
		to.Node = ""
	}
	return to, end > before
}

// leaseOver reports whether the lease on a command's node had ended when the command was sent. It
// returns false if the length of the lease is unknown.
func (g *Grants) leaseOver(sent history.Command) bool {
	return slices.ContainsFunc(g.keysOf(sent.Args), func(k string) bool {
		c, ok := g.last[keyOn{sent.Node, k}]
		lease := cmp.Or(c.lease, g.Lease)
		return ok && lease > 0 && sent.Sent > c.sent+int64(lease)
	})
}

// prolonged reports whether a command has prolonged a lease, and the lease that it names.
func (g *Grants) prolonged(args []string, done history.Command) (lease time.Duration, ok bool) {
	if len(args) < 3 || done.Err != "" || !affirms(args, done.Reply) || len(g.keysOf(args)) == 0 {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "pexpire":
		return expiryOf([]string{"px", args[2]}), true
	case "expire":
		return expiryOf([]string{"ex", args[2]}), true
	case "set":
		return expiryOf(args), has(args, "ifeq")
	case "eval", "evalsha":
		return 0, g.Scripts.lookup(args).prolongs
	}
	return 0, false
}

// affirms reports whether a reply confirms its command.
func affirms(args []string, reply string) bool {
	if strings.EqualFold(args[0], "set") {
		return reply == "OK"
	}
	return reply == "1" || reply == "[1]"
}

// end returns the time when the lease of the first key ends on so many masters that no majority is
// left.
func (g *Grants) end() (first time.Duration) {
	for i, k := range g.keys {
		if end := g.endOf(k); i == 0 || end < first {
			first = end
		}
	}
	return first
}

func (g *Grants) endOf(key string) time.Duration {
	var ends []time.Duration
	for at, c := range g.last {
		if at.key == key {
			ends = append(ends, time.Duration(c.sent)+cmp.Or(c.lease, g.Lease))
		}
	}
	majority := g.Masters/2 + 1
	if len(ends) < majority {
		return 0
	}
	slices.Sort(ends)
	return ends[len(ends)-majority]
}

func (g *Grants) learn(args []string) {
	if len(args) > 1 && strings.EqualFold(args[0], "eval") {
		g.Scripts.Learn(args[1])
	}
}

// Scripts records what scripts do to a lease. The clients of a run share it, because one of them
// sends the text of a script to the server, and the others send only its digest. It is safe for
// concurrent use.
type Scripts struct {
	mu    sync.Mutex
	known map[string]script // by ID
}

// script says what the text of a script can do to a key.
type script struct{ prolongs, deletes, creates bool }

// creating lists the commands that write a key even if it does not exist.
var creating = []string{"set", "setnx", "setex", "psetex", "mset", "msetnx", "getset", "incr",
	"incrby", "hset", "hsetnx", "hmset", "hincrby", "lpush", "rpush", "sadd", "zadd", "xadd", "append",
	"restore"}

// Learn reads the text of a script. A script that sets a lease and deletes nothing prolongs a
// lease.
func (s *Scripts) Learn(text string) {
	lower := strings.ToLower(text)
	deletes := calls(lower, "del")
	does := script{strings.Contains(lower, "expire") && !deletes, deletes || calls(lower, "unlink"),
		slices.ContainsFunc(creating, func(command string) bool { return calls(lower, command) })}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]script{}
	}
	s.known[history.ScriptID(text)] = does
}

// calls reports whether a script has a command in quotes.
func calls(script, command string) bool {
	return strings.Contains(script, "'"+command+"'") || strings.Contains(script, `"`+command+`"`)
}

// lookup returns what is known of the script that a command runs.
func (s *Scripts) lookup(args []string) script {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[scriptOf(args)]
}

// Fill adds the observed facts to a grant: the send time of the first command, and the node if
// there is only one. If the lock promised no lease, it adds the shortest lease in the commands.
// Fill keeps a promised lease, because the checker compares it with the commands.
func (g *Grants) Fill(to *Granted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first, shortest, nodes := int64(0), time.Duration(0), map[string]bool{}
	for at, c := range g.last {
		if first == 0 || c.sent < first {
			first = c.sent
		}
		if c.lease > 0 && (shortest == 0 || c.lease < shortest) {
			shortest = c.lease
		}
		nodes[at.node] = true
		to.Node = at.node
	}
	if len(nodes) > 1 {
		to.Node = ""
	}
	to.Lease = cmp.Or(to.Lease, shortest)
	if first > 0 {
		to.Sent = time.Duration(first)
	}
}
