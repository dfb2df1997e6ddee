// Package engine is the Redis that the simulator runs: those commands that locks use, with the
// replies of redis-server 7.0 byte for byte, on a clock that the caller gives. The tests compare it
// with a real server.
//
// What it has: the commands of the table in table.go, RESP2 and RESP3, one database, strings,
// hashes, lists, sets and sorted sets, absolute expiry, scripts, transactions, pub/sub,
// invalidation messages (CLIENT TRACKING), the roles of master and replica. A command that waits
// leaves its session blocked, and who runs the server lets it go on (blocking.go). A key that is
// over is removed when it is next touched, or by Expire. A command, option or subcommand that is
// not there is an error, never a silent OK; if redis-server has it, Lacks says so, too.
//
// What it does not have, on purpose: streams and everything else that no lock uses; access control;
// persistence; eviction; Redis functions and script flags; in scripts cjson, cmsgpack, struct,
// bit and random numbers. The text of Lua's own errors differs, and so does the text of a number
// with a fraction or above 10^14 that a script itself joins to a string.
package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Engine is one Redis server. It is not safe for concurrent use. Its clock is what each call says.
type Engine struct {
	keys    map[string]*value
	now     int64  // µs of the wall clock while a command runs
	version uint64 // grows with each change
	scripts map[string]string
	subs    map[string][]*Session
	// of patterns, in the order in which they were subscribed to
	patterns []pattern
	blocked  []*Session // those that wait for keys, in the order in which they came
	ready    []string   // keys that one of them may go on with
	tracking tracking
	caller   *Session // whose command runs
	before   []byte   // what the caller is told before the reply
	// of keys: connections that want to know if they change
	watchers map[string][]*Session
	nextID   int64
	call     call

	// Replica makes every write of a client an error, as replica-read-only does.
	Replica bool
	// Busy makes nearly every command an error: a script does not end.
	Busy bool
	// Monitor is told of each command as MONITOR would show it: those of a script behind the one that
	// runs it. Nil: not wanted.
	Monitor func(line string)
	// Effects gets the commands that scripts run. Nil: not wanted.
	Effects *[][]string
	// Changed is told of each change of a key. Nil: not wanted.
	Changed func(Change)
	// Lacks is the first command that was sent and that redis-server has, but this package has not:
	// what comes of a run then says nothing. "": none.
	Lacks string
}

// value is what a key holds. It is never changed after it was stored: a snapshot shares it.
type value struct {
	kind   kind
	str    string
	fields []field // of all but a string: in the order of insertion, of a list in its own
	until  int64   // ms of the wall clock after which the key is gone; 0: never
}

// field is an entry of a hash; an element of a list or set, by its name; or an element of a sorted
// set with its score.
type field struct{ name, value string }

// kind is what a value is.
type kind byte

const (
	aString kind = iota
	aHash
	aList
	aSet
	aSortedSet
)

// kindNames are the words of TYPE.
var kindNames = [...]string{"string", "hash", "list", "set", "zset"}

// collection returns the value of a kind at a key, or nil if there is none; ok is false, and the
// error replied, if the key holds something else.
func (c *call) collection(key string, k kind) (v *value, ok bool) {
	v = c.e.get(key)
	if v != nil && v.kind != k {
		c.out.Error(wrongType)
		return nil, false
	}
	return v, true
}

// copied returns a value that may be changed: a copy of v, or an empty one if v is nil.
func (v *value) copied(k kind) *value {
	if v == nil {
		return &value{kind: k}
	}
	next := *v
	next.fields = slices.Clone(v.fields)
	return &next
}

// keep stores a collection, or removes it if it is empty.
func (c *call) keep(key string, v *value) {
	if len(v.fields) == 0 {
		c.e.remove(key)
	} else {
		c.e.put(key, v)
	}
}

// New returns an empty server.
func New() *Engine {
	return &Engine{keys: map[string]*value{}, scripts: map[string]string{},
		subs: map[string][]*Session{}, watchers: map[string][]*Session{}, tracking: newTracking()}
}

// Session is what a server knows of one connection.
type Session struct {
	ID   int64
	Push func([]byte) // how a published message reaches the connection
	// the connection waits: it gets no reply yet, and nothing more of it is executed
	Blocked *Wait
	// its latest command was executed, with whatever result: neither refused nor queued
	Ran      bool
	name     string
	subs     []string
	patterns []string
	tx       transaction
	three    bool // it speaks RESP3
	tracks   tracks
	script   bool // the session of a running script
}

// Open begins a session.
func (e *Engine) Open(push func([]byte)) *Session {
	e.nextID++
	return &Session{ID: e.nextID, Push: push}
}

// Close ends a session: it gets no more messages.
func (e *Engine) Close(s *Session) {
	for len(s.subs) > 0 {
		e.unsubscribe(s, s.subs[0])
	}
	for len(s.patterns) > 0 {
		e.punsubscribe(s, s.patterns[0])
	}
	e.endTransaction(s)
	e.unblock(s)
	e.tracking.untrack(s)
}

// Version tells whether something was changed: equal numbers, equal contents.
func (e *Engine) Version() uint64 { return e.version }

// Len is how many keys there are, with those whose time is over and that were not touched since.
func (e *Engine) Len() int { return len(e.keys) }

// Do executes one command at now, µs of the server's wall clock, and returns the reply, with what
// the session is told before and after it. There is no reply if the session is blocked after it.
func (e *Engine) Do(now int64, s *Session, args []string) []byte {
	return e.run(now, s, args, (*call).dispatch)
}

func (e *Engine) run(now int64, s *Session, args []string, do func(*call)) []byte {
	e.now, e.caller, e.tracking.caller, e.before = now, s, s, nil
	c := &e.call // its memory serves every command: one is executed at a time
	*c = call{e: e, s: s, args: args, out: reply{resp.Writer{Three: s.three}}}
	do(c)
	if s.tracks.caching && !s.tx.begun && !strings.EqualFold(args[0], "client") {
		s.tracks.caching = false
	}
	e.caller, e.tracking.caller = nil, nil
	if e.before == nil && !e.tracking.pending() {
		return c.out.B
	}
	return append(append(e.before, c.out.B...), e.tracking.broadcast(s)...)
}

// push sends a session what it has not asked for: one whose command runs gets it before the reply.
func (e *Engine) push(s *Session, message []byte) {
	if s == e.caller {
		e.before = append(e.before, message...)
	} else {
		s.Push(message)
	}
}

// call is one command while it is executed.
type call struct {
	e      *Engine
	s      *Session
	args   []string
	out    reply
	queued bool // it is a part of a transaction that is executed
}

func (c *call) dispatch() {
	cmd, known := lookup(c.args[0])
	problem := ""
	if known {
		problem = c.refusal(cmd)
	} else {
		problem = c.unknown()
	}
	c.s.Ran = false
	switch {
	case problem != "":
		c.refuse(cmd, problem)
	case c.s.tx.begun && !cmd.has(control):
		c.queue()
	default:
		c.s.Ran = true
		c.execute(cmd)
	}
}

// execute runs a command that nothing forbids.
func (c *call) execute(cmd command) {
	if c.e.Monitor != nil {
		c.e.Monitor(c.shown())
	}
	if c.e.Effects != nil && c.s.script {
		*c.e.Effects = append(*c.e.Effects, slices.Clone(c.args))
	}
	cmd.run(c)
	c.e.tracking.remember(cmd, c.args)
}

// shown is the line of MONITOR for a command.
func (c *call) shown() string {
	from := fmt.Sprintf("client:%d", c.s.ID)
	if c.s.script {
		from = "lua"
	}
	b := fmt.Appendf(nil, "%d.%06d [0 %s]", c.e.now/1e6, c.e.now%1e6, from)
	for _, a := range c.args {
		b = strconv.AppendQuoteToASCII(append(b, ' '), a)
	}
	return string(b)
}

// unknown is the error for a command that is not in the table.
func (c *call) unknown() string {
	switch {
	case inRedis(c.args[0]):
		return c.lack(c.args[0])
	case c.s.script:
		return "ERR Unknown Redis command called from script"
	}
	return unknown(c.args)
}

// lack notes that redis-server has what this package has not, and returns the error for it.
func (c *call) lack(what string) string {
	c.e.Lacks = cmp.Or(c.e.Lacks, strings.ToUpper(what))
	return "ERR the simulated Redis has no " + strings.ToUpper(what)
}

// refusal is the error for which a command is not executed; "": none.
func (c *call) refusal(cmd command) string {
	switch {
	case !cmd.takes(len(c.args)) && c.s.script:
		return "ERR Wrong number of args calling Redis command from script"
	case !cmd.takes(len(c.args)):
		return arity(cmd.name)
	case c.s.script && cmd.has(noScript):
		return "ERR This Redis command is not allowed from script"
	case cmd.has(write) && c.e.Replica:
		return "READONLY You can't write against a read only replica."
	case c.listens() && !cmd.has(subscribed):
		return "ERR Can't execute '" + cmd.name +
			"': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
	case c.e.Busy && !cmd.has(busy):
		return "BUSY Redis is busy running a script. " +
			"You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	case c.s.tx.begun && cmd.has(alone):
		return c.lack(cmd.name + " in a transaction")
	}
	return ""
}

// refuse replies an error in the place of executing a command. Its transaction is worth nothing
// then.
func (c *call) refuse(cmd command, problem string) {
	c.s.tx.broken = c.s.tx.begun
	if cmd.name == "exec" {
		c.e.endTransaction(c.s)
		problem = "EXECABORT Transaction discarded because of: " + strings.TrimPrefix(problem, "ERR ")
	}
	c.out.Error(problem)
}

func arity(name string) string {
	return "ERR wrong number of arguments for '" + strings.ToLower(name) + "' command"
}

// unknown is the error for a command that does not exist, which repeats the beginning of its
// arguments.
func unknown(args []string) string {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		b.WriteString("'" + asC(a, 128-b.Len()) + "' ")
	}
	return "ERR unknown command '" + asC(args[0], 128) + "', with args beginning with: " + b.String()
}

// asC is what C prints of a text, at most n bytes: a zero byte ends it.
func asC(s string, n int) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s[:min(len(s), n)]
}

// ms is the server's clock in milliseconds.
func (e *Engine) ms() int64 { return e.now / 1000 }

// get returns what a key holds; nil: nothing. A key is there at the very millisecond at which it
// ends, and gone in the next.
func (e *Engine) get(key string) *value {
	v := e.keys[key]
	if v != nil && v.until != 0 && e.ms() > v.until {
		if !e.Replica { // a replica leaves it to its master
			delete(e.keys, key)
			e.tell(key, Expired, v, nil)
			e.tracking.invalidate(key, nil)
		}
		e.touch(key)
		return nil
	}
	return v
}

// Expire removes every key that is over at now, µs, as the active expiry cycle of a real server
// does all the time. It makes a difference only when the clock is about to go back.
func (e *Engine) Expire(now int64) {
	e.now = now
	for _, k := range slices.Sorted(maps.Keys(e.keys)) {
		e.get(k)
	}
	e.tracking.broadcast(nil)
}

func (e *Engine) put(key string, v *value) {
	e.version++
	e.tell(key, Written, e.keys[key], v)
	e.keys[key] = v
	e.touch(key)
	e.tracking.invalidate(key, e.caller)
	e.signal(key)
}

func (e *Engine) remove(key string) {
	e.version++
	e.tell(key, Deleted, e.keys[key], nil)
	delete(e.keys, key)
	e.touch(key)
	e.tracking.invalidate(key, e.caller)
}

// Snapshot is the contents of a server, to be loaded into a replica. It may be kept.
type Snapshot struct{ keys map[string]*value }

// Snapshot returns the contents.
func (e *Engine) Snapshot() Snapshot { return Snapshot{maps.Clone(e.keys)} }

// Load replaces the contents.
func (e *Engine) Load(s Snapshot) {
	e.version++
	for key := range e.watchers {
		if e.keys[key] != s.keys[key] {
			e.touch(key)
		}
	}
	e.reportSnapshot(s)
	e.tracking.replaced(e.keys, s.keys)
	e.keys = maps.Clone(s.keys)
}

// Contents is all that the server holds, as text: equal texts, equal contents. Keys that are over
// but were not touched count, and so do connections that wait for keys.
func (e *Engine) Contents() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(e.keys)) {
		v := e.keys[k]
		fmt.Fprintf(&b, "%q=%d%q%q until %d\n", k, v.kind, v.str, v.fields, v.until)
	}
	for _, s := range e.blocked {
		fmt.Fprintf(&b, "%d waits for %q\n", s.ID, s.Blocked.keys)
	}
	return b.String()
}
