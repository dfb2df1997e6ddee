package workloads

import (
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// meanings recognises the role of a client's commands in its calls, in any language: the first
// command of an acquire, the one that creates the key, those between two commands of a call. Some
// roles become clear only at the end of a call: which script creates the key, and how many commands
// a release has. meanings learns these from the first call that ends. It is safe for concurrent
// use.
type meanings struct {
	mu      sync.Mutex
	on      bool
	call    call
	places  map[int]place     // of commands that have left, by seq
	creates map[string]string // ID of a script that creates the key → its reply then
	frees   map[string]int    // commands of a release, by node; empty if unknown
}

// call is an acquire or a release under way; F is "" between calls.
type call struct {
	f       string
	n       int // numbers the calls
	keys    []string
	sent    int            // commands on its keys
	at      map[string]int // the same, by node
	created map[string]bool
	plain   bool              // a command other than a script created the key
	scripts map[string]string // other scripts with a reply, by ID → the last reply
	early   bool              // it sent commands before the recording started
}

// follow prepares the records of a call's commands.
func (c *call) follow() {
	c.at, c.created, c.scripts = map[string]int{}, map[string]bool{}, map[string]string{}
}

// place is the position of a command in its call.
type place struct {
	call     int
	f        string
	keys     bool // it is about a key of the call
	nth      int  // of all commands of the call, from 1
	onNode   int  // of those to its node
	creation bool // it follows the command that created the key, on its node
}

// learn starts the recording of commands, when the first breakpoint with a meaning is armed. If a
// call has already sent commands, it has no first command, and a release teaches nothing.
func (m *meanings) learn() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on {
		return
	}
	m.on = true
	m.call.follow()
	if m.call.early {
		m.call.sent = 1
		if m.call.f == history.Release {
			m.call.f = ""
		}
	}
}

// begin starts the record of a call that acquires or releases keys, by their names in Redis.
func (m *meanings) begin(f string, keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.call = call{f: f, n: m.call.n + 1, keys: keys}
	if m.on {
		m.call.follow()
	}
}

// end ends the record of a call. done reports whether the lock was granted or released.
func (m *meanings) end(done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.call
	m.call.f = ""
	switch {
	case !done || c.sent == 0:
	case c.f == history.Release:
		m.frees = c.at
	case c.f == history.Acquire && !c.early && !c.plain && len(m.creates) == 0 && len(c.scripts) == 1:
		m.creates = c.scripts // one of these scripts created the key
	}
}

// next returns the place of a command that is about to leave.
func (m *meanings) next(node string, args []string) place {
	c := &m.call
	p := place{call: c.n, f: c.f, nth: c.sent + 1, onNode: c.at[node] + 1, creation: c.created[node]}
	p.keys = len(args) > 1 && slices.ContainsFunc(c.keys, func(k string) bool {
		return slices.Contains(args[1:], k)
	})
	return p
}

func (m *meanings) sent(c history.Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		m.call.early = true
		return
	}
	p := m.next(c.Node, c.Args)
	if m.places == nil {
		m.places = map[int]place{}
	}
	if m.places[c.Seq] = p; p.keys && p.f != "" {
		m.call.sent++
		m.call.at[c.Node]++
	}
}

func (m *meanings) replied(c, done history.Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.places[c.Seq]
	if !m.on || p.f != history.Acquire || p.call != m.call.n || !p.keys || done.Err != "" ||
		strings.HasPrefix(done.Reply, "(error)") {
		return
	}
	if id := scriptOf(c.Args); id != "" {
		m.call.scripts[id] = done.Reply // the end of the call shows whether that created the key
		if reply, known := m.creates[id]; known && reply == done.Reply {
			m.call.created[c.Node] = true
		}
		return
	}
	if creates(c.Args) && created(c.Args, done.Reply) {
		m.call.plain, m.call.created[c.Node] = true, true
	}
}

// is reports whether a command is known to have a meaning. Done is its end, if at is After.
func (m *meanings) is(meaning, at string, c, done history.Command) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, left := m.places[c.Seq]
	if at == nemesis.Before || !left {
		p = m.next(c.Node, c.Args)
	}
	if !p.keys {
		return false
	}
	acquires, releases := p.f == history.Acquire, p.f == history.Release
	switch meaning {
	case nemesis.FirstOfAcquire:
		return acquires && p.nth == 1
	case nemesis.CreatesKey:
		return acquires && m.makes(at, c, done)
	case nemesis.AfterCreation:
		return acquires && p.creation
	case nemesis.FirstOfRelease:
		return releases && p.nth == 1
	case nemesis.WithinRelease:
		return releases && p.onNode == 2
	case nemesis.LastOfRelease:
		return releases && p.onNode == m.frees[c.Node]
	case nemesis.ReadsKey:
		return acquires && reads[strings.ToLower(c.Args[0])]
	case nemesis.TakesOver:
		return acquires && takesOver(c.Args)
	}
	return meaning == nemesis.OnKey
}

func (m *meanings) forget(c history.Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.places, c.Seq)
}

// makes reports whether a command of an acquire creates the key. Before the reply this is a
// forecast, after it a fact.
func (m *meanings) makes(at string, c, done history.Command) bool {
	id := scriptOf(c.Args)
	reply, known := m.creates[id]
	if at != nemesis.After {
		return known || id == "" && creates(c.Args)
	}
	if done.Err != "" {
		return false
	}
	return known && done.Reply == reply || id == "" && creates(c.Args) && created(c.Args, done.Reply)
}

// scriptOf returns the ID of the script that a command runs, or "".
func scriptOf(args []string) string {
	if len(args) < 2 {
		return ""
	}
	switch strings.ToLower(args[0]) {
	case "eval":
		return history.ScriptID(args[1])
	case "evalsha", "fcall":
		return strings.ToLower(args[1])
	}
	return ""
}

// creates reports whether a command creates its key if it does not exist.
func creates(args []string) bool {
	switch strings.ToLower(args[0]) {
	case "set":
		return !has(args, "xx") && !has(args, "ifeq")
	case "setnx", "msetnx", "setex", "psetex", "getset", "incr", "hset", "hsetnx", "hincrby":
		return true
	}
	return false
}

// has reports whether a SET has an option, which follows the key and the value.
func has(args []string, word string) bool {
	return slices.ContainsFunc(args[min(3, len(args)):], func(a string) bool {
		return strings.EqualFold(a, word)
	})
}

// reads lists the commands that only look up the owner or the lease of a lock.
var reads = map[string]bool{"get": true, "exists": true, "ttl": true, "pttl": true, "hget": true,
	"hexists": true, "hgetall": true, "mget": true, "strlen": true}

// takesOver reports whether a command ends or replaces what another client has written.
func takesOver(args []string) bool {
	switch strings.ToLower(args[0]) {
	case "del", "unlink", "getset":
		return true
	case "set":
		return !has(args, "nx") && !has(args, "ifeq") // that compares
	}
	return false
}

// created reports whether the reply confirms the creation. GETSET has no reply on a free key.
func created(args []string, reply string) bool {
	if asksOld(args) {
		return reply == "(nil)"
	}
	return reply != "0" && reply != "(nil)" && reply != ""
}

// asksOld reports whether a command is a SET with NX and GET, whose reply is the value that is
// there: none if it set the key.
func asksOld(args []string) bool {
	return strings.EqualFold(args[0], "set") && has(args, "nx") && has(args, "get")
}
