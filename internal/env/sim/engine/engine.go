// Package engine is the Redis that the simulator runs. It executes the commands that locks use, and
// gives the replies of redis-server 7.0 byte for byte, on a clock that the caller gives. The tests
// compare it with a real server.
//
// It has the commands in table.go, RESP2 and RESP3, one database, strings, hashes, lists, sets and
// sorted sets, absolute expiry, scripts, transactions, pub/sub, invalidation messages (CLIENT
// TRACKING), and the roles of master and replica. A command that waits leaves its session blocked,
// and the caller of the engine lets it go on (blocking.go). The engine removes an expired key when
// a command touches it next, or in Expire. It answers an unknown command, option or subcommand with
// an error, never with a silent OK. If redis-server has it, the engine also sets Lacks.
//
// It does not have streams and everything else that no lock uses; access control; persistence;
// eviction; Redis functions and script flags; in scripts cjson, cmsgpack, struct, bit and random
// numbers. The text of Lua's own errors differs. So does the text of a number with a fraction or
// above 10^14 if a script itself joins it to a string.
package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Engine is one Redis server. It is not safe for concurrent use. Each call passes the time.
type Engine struct {
	keys    map[string]*value
	now     int64  // µs of the wall clock while a command runs
	version uint64 // grows with each change
	scripts map[string]string
	// subscriptions to channels, and to patterns, oldest first
	subs, patterns []subscription
	blocked        []*Session // sessions that wait for keys, oldest first
	ready          []string   // keys with elements for a blocked session
	tracking       tracking
	caller         *Session // whose command runs
	before         []byte   // messages to the caller before the reply
	// by key: connections that watch it
	watchers map[string][]*Session
	nextID   int64
	call     call

	// Replica makes every write of a client fail, as replica-read-only does.
	Replica bool
	// Busy makes nearly every command fail, as a script that does not end.
	Busy bool
	// Full makes every command fail that needs memory, as maxmemory without eviction does.
	Full bool
	// Effects, unless nil, gets the commands that scripts run.
	Effects *[][]string
	// Changed, unless nil, gets each change of a key.
	Changed func(Change)
	// Lacks is the first command of a client that redis-server has and this package lacks, or "". The
	// result of such a run says nothing.
	Lacks string
}

// value is the value of a key. It never changes after it was stored, since snapshots share it.
type value struct {
	kind   kind
	str    string
	fields []field // entries of all kinds but a string, by insertion or in the order of the list
	until  int64   // ms of the wall clock after which the key is gone, or 0 for never
}

// field is a field of a hash with its value, an element of a sorted set with its score, or an
// element of a list or set without a value.
type field struct{ name, value string }

// kind is the type of a value.
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

// collection returns the value at a key, or nil if there is none. If the key holds a value of
// another kind, it replies the error and returns false.
func (c *call) collection(key string, k kind) (v *value, ok bool) {
	v = c.e.get(key)
	if v != nil && v.kind != k {
		c.out.Error(wrongType)
		return nil, false
	}
	return v, true
}

// copied returns a copy of v that the caller may change. It is empty if v is nil.
func (v *value) copied(k kind) *value {
	if v == nil {
		return &value{kind: k}
	}
	next := *v
	next.fields = slices.Clone(v.fields)
	return &next
}

// entries returns the entries of a collection, or none if v is nil.
func (v *value) entries() []field {
	if v == nil {
		return nil
	}
	return v.fields
}

// onValue returns a command on the value of its key, which is nil if there is none. If the key
// holds a value of another kind, the command replies the error.
func onValue(k kind, run func(c *call, v *value)) func(*call) {
	return func(c *call) {
		if v, ok := c.collection(c.args[1], k); ok {
			run(c, v)
		}
	}
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
		watchers: map[string][]*Session{}, tracking: newTracking()}
}

// Session is a server's view of one connection.
type Session struct {
	ID   int64
	Push func([]byte) // sends a published message to the connection
	// if not nil, the connection waits for the reply, and the engine executes none of its commands
	Blocked *Wait
	// its latest command was executed, with or without success, not refused or queued
	Ran      bool
	name     string
	subs     []string
	patterns []string
	tx       transaction
	three    bool // it speaks RESP3
	tracks   tracks
	script   bool // the session of a running script
	wrote    bool // that script has called a command that writes
}

// Open starts a session.
func (e *Engine) Open(push func([]byte)) *Session {
	e.nextID++
	return &Session{ID: e.nextID, Push: push}
}

// Close ends a session. The session gets no more messages.
func (e *Engine) Close(s *Session) {
	ofSession := func(x subscription) bool { return x.s == s }
	e.subs = slices.DeleteFunc(e.subs, ofSession)
	e.patterns = slices.DeleteFunc(e.patterns, ofSession)
	s.subs, s.patterns = nil, nil
	e.endTransaction(s)
	e.unblock(s)
	e.tracking.untrack(s)
}

// Version returns a number that grows with each change. Equal numbers mean equal contents.
func (e *Engine) Version() uint64 { return e.version }

// Len returns the number of keys, including expired keys that no command has touched since.
func (e *Engine) Len() int { return len(e.keys) }

// Do executes one command at now, µs of the server's wall clock. It returns the reply, with
// messages to the session before and after it. There is no reply if the command blocks the session.
func (e *Engine) Do(now int64, s *Session, args []string) []byte {
	return e.run(now, s, args, (*call).dispatch)
}

func (e *Engine) run(now int64, s *Session, args []string, do func(*call)) []byte {
	e.now, e.caller, e.tracking.caller, e.before = now, s, s, nil
	c := &e.call // all commands share its memory, since one is executed at a time
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

// push sends a message to a session. The session whose command runs gets it before the reply.
func (e *Engine) push(s *Session, message []byte) {
	if s == e.caller {
		e.before = append(e.before, message...)
	} else {
		s.Push(message)
	}
}

// call is a command in execution.
type call struct {
	e      *Engine
	s      *Session
	args   []string
	out    reply
	queued bool // it is a part of a transaction that EXEC runs
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

// execute runs a command that refusal allows.
func (c *call) execute(cmd command) {
	if c.e.Effects != nil && c.s.script {
		*c.e.Effects = append(*c.e.Effects, slices.Clone(c.args))
	}
	c.s.wrote = c.s.script && (c.s.wrote || cmd.has(write))
	cmd.run(c)
	c.e.tracking.remember(cmd, c.args)
}

// unknown returns the error for a command that is not in the table.
func (c *call) unknown() string {
	switch {
	case inRedis(c.args[0]):
		return c.lack(c.args[0])
	case c.s.script:
		return "ERR Unknown Redis command called from script"
	}
	return unknown(c.args)
}

// lack notes a command that redis-server has and this package lacks, and returns the error for it.
func (c *call) lack(what string) string {
	c.e.Lacks = cmp.Or(c.e.Lacks, strings.ToUpper(what))
	return "ERR the simulated Redis has no " + strings.ToUpper(what)
}

// refusal returns the error that keeps a command from being executed, or "".
func (c *call) refusal(cmd command) string {
	switch {
	case !cmd.takes(len(c.args)) && c.s.script:
		return "ERR Wrong number of args calling Redis command from script"
	case !cmd.takes(len(c.args)):
		return arity(cmd.name)
	case c.s.script && cmd.has(noScript):
		return "ERR This Redis command is not allowed from script"
	case c.e.Full && c.s.needsMemory(cmd):
		return "OOM command not allowed when used memory > 'maxmemory'."
	case cmd.has(write) && c.e.Replica:
		return "READONLY You can't write against a read only replica."
	case c.s.listens() && !cmd.has(subscribed):
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

// needsMemory reports whether a full server refuses a command of the session. A transaction may
// grow with each command, and a script that has written goes on.
func (s *Session) needsMemory(cmd command) bool {
	return cmd.has(grows) && !s.wrote || s.tx.begun && !cmd.has(control)
}

// refuse replies an error instead of executing a command. EXEC then discards its transaction.
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

// unknown returns the error for a command that does not exist. The error repeats the start of the
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

// asC returns at most n bytes of a text, up to the first zero byte, as C prints it.
func asC(s string, n int) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s[:min(len(s), n)]
}

// ms returns the server's clock in milliseconds.
func (e *Engine) ms() int64 { return e.now / 1000 }

// get returns the value of a key, or nil. A key still exists in the millisecond of its expiry, and
// is gone in the next.
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

// Expire removes every key that has expired at now, µs, as the active expiry cycle of a real server
// does all the time. It makes a difference only if the clock is about to go back.
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

// Snapshot is the contents of a server for a replica to load. It never changes.
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

// Contents returns the contents of the server as text. Equal texts mean equal contents. The text
// includes expired keys that no command has touched, and connections that wait for keys.
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
