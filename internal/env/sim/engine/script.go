package engine

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

func eval(c *call) { c.eval(c.args[1]) }

func evalsha(c *call) {
	name := strings.ToLower(c.args[1])
	source, ok := c.e.scripts[name]
	if len(name) == hex.EncodedLen(sha1.Size) {
		if _, isNumber := c.numKeys(); !isNumber {
			return
		}
	}
	if !ok {
		c.out.Error("NOSCRIPT No matching script. Please use EVAL.")
		return
	}
	c.eval(source)
}

// numKeys reads how many of the arguments are keys. If the number is invalid, it replies the error
// and returns false.
func (c *call) numKeys() (int, bool) {
	n, ok := integer(c.args[2])
	switch {
	case !ok:
		c.out.Error(notInteger)
	case n > int64(len(c.args)-3):
		c.out.Error("ERR Number of keys can't be greater than number of args")
	case n < 0:
		c.out.Error("ERR Number of keys can't be negative")
	default:
		return int(n), true
	}
	return 0, false
}

func (c *call) eval(source string) {
	n, ok := c.numKeys()
	if !ok {
		return
	}
	i := borrow()
	defer i.giveBack()
	f, err := i.compile(source)
	if err != "" {
		c.out.Error(err + " script: " + sha(source) + ", on @user_script:1.")
		return
	}
	c.e.scripts[f.name] = source
	i.run(c, f.body, f.name, c.args[3:3+n], c.args[3+n:])
}

func script(c *call) {
	switch sub := strings.ToLower(c.args[1]); {
	case sub == "load" && len(c.args) == 3:
		c.load(c.args[2])
	case sub == "exists" && len(c.args) > 2:
		c.out.Array(len(c.args) - 2)
		for _, name := range c.args[2:] {
			_, ok := c.e.scripts[strings.ToLower(name)]
			c.out.Boolean(ok)
		}
	case sub == "flush" && len(c.args) == 2, sub == "flush" && len(c.args) == 3 &&
		isFlushMode(c.args[2]):
		clear(c.e.scripts)
		c.out.Status("OK")
	case sub == "flush":
		c.out.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	case sub == "kill" && len(c.args) == 2:
		c.out.Error("NOTBUSY No scripts in execution right now.")
	case sub == "load", sub == "exists", sub == "kill":
		c.out.Error(arity("script|" + sub))
	default:
		c.out.Error(c.noSubcommand())
	}
}

func isFlushMode(s string) bool {
	return strings.EqualFold(s, "sync") ||
		strings.EqualFold(s, "async")
}

func (c *call) load(source string) {
	i := borrow()
	defer i.giveBack()
	f, err := i.compile(source)
	if err != "" {
		c.out.Error(err)
		return
	}
	c.e.scripts[f.name] = source
	c.out.Bulk(f.name)
}

func sha(s string) string {
	h := sha1.Sum([]byte(s))
	return hex.EncodeToString(h[:])
}

// idle are Lua states ready for use. Making one takes longer than a whole run of a simple lock. So
// they are not in a sync.Pool, which the garbage collector empties. A script leaves nothing for the
// next one, since scripts cannot set globals.
var idle struct {
	mu   sync.Mutex
	list []*interpreter
}

func borrow() *interpreter {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	n := len(idle.list)
	if n == 0 {
		return newInterpreter()
	}
	i := idle.list[n-1]
	idle.list = idle.list[:n-1]
	return i
}

func (i *interpreter) giveBack() {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	idle.list = append(idle.list, i)
}

// interpreter is a Lua state with the library that Redis gives to scripts.
type interpreter struct {
	l        *lua.LState
	call     *call               // the EVAL that is running
	compiled map[string]compiled // by source
	keys     *lua.LTable         // KEYS of the script
	argv     *lua.LTable         // ARGV of the script
	blame    *lua.LFunction
	session  Session // of the commands in scripts
	inner    call    // the command of the script in execution
	scratch  []byte  // the memory of its reply
}

// compiled is a script that is ready to run.
type compiled struct {
	body *lua.LFunction
	name string // its SHA-1
}

// compiledMost bounds the cached scripts of an interpreter. Locks have a handful of scripts.
const compiledMost = 256

// compile returns the function of a script, or the error in the words of Redis. The reason in the
// error comes from gopher-lua.
func (i *interpreter) compile(source string) (compiled, string) {
	if f, ok := i.compiled[source]; ok {
		return f, ""
	}
	body, err := i.l.Load(strings.NewReader(source), "user_script")
	if err != nil {
		return compiled{}, "ERR Error compiling script (new function): " + err.Error()
	}
	if len(i.compiled) >= compiledMost {
		clear(i.compiled)
	}
	// no script reads the table "arg", which costs 2 KiB for each run
	body.Proto.IsVarArg &^= lua.VarArgNeedsArg
	f := compiled{body, sha(source)}
	i.compiled[strings.Clone(source)] = f // a copy, so that the whole command need not stay in memory
	return f, ""
}

// run executes a script for an EVAL and replies the script's result.
func (i *interpreter) run(c *call, f *lua.LFunction, name string, keys, args []string) {
	i.call, i.keys, i.argv = c, i.table(keys), i.table(args)
	i.session.wrote = false
	defer func() { i.call = nil }()
	i.l.Push(f)
	err := i.l.PCall(0, 1, i.blame)
	if err != nil {
		i.l.SetTop(0)
		c.out.Error(failure(err, name))
		return
	}
	i.reply(&c.out.Writer, i.l.Get(-1))
	i.l.SetTop(0)
}

func (i *interpreter) table(items []string) *lua.LTable {
	t := i.l.CreateTable(len(items), 0)
	for _, s := range items {
		t.Append(lua.LString(s))
	}
	return t
}

// failure returns the error that ended a script in the words of Redis 7.0.
func failure(err error, name string) string {
	msg, line := err.Error(), "1"
	if api, ok := err.(*lua.ApiError); ok {
		msg, line = thrown(api.Object)
	}
	if line == "" {
		return msg + " script: " + name + "."
	}
	return msg + " script: " + name + ", on @user_script:" + line + "."
}

// thrown returns the message of a Lua error, and the number of its line, or "" if unknown.
func thrown(object lua.LValue) (msg, line string) {
	t, ok := object.(*lua.LTable)
	if !ok {
		return "ERR " + object.String(), ""
	}
	if l := t.RawGetString("line"); l != lua.LNil {
		line = l.String()
	}
	return t.RawGetString("err").String(), line
}

// blame handles a Lua error where it is thrown. It makes it a table, as Redis does, and adds the
// line of the script.
func blame(l *lua.LState) int {
	t, ok := l.Get(1).(*lua.LTable)
	if !ok {
		t = single(l, "err", "ERR "+l.Get(1).String())
	}
	for level := 1; ; level++ {
		where, ok := l.GetStack(level)
		if !ok {
			break
		}
		if _, err := l.GetInfo("Sl", where, lua.LNil); err == nil && where.CurrentLine > 0 {
			t.RawSetString("line", lua.LNumber(where.CurrentLine))
			break
		}
	}
	l.Push(t)
	return 1
}
