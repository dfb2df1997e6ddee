package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
	lua "github.com/yuin/gopher-lua"
)

// newInterpreter makes a Lua state as Redis does: base, table, string and math libraries without
// the functions that reach out of the script, the redis table, and globals that cannot be changed.
func newInterpreter() *interpreter {
	i := &interpreter{l: lua.NewState(lua.Options{SkipOpenLibs: true}),
		compiled: map[string]compiled{}, session: Session{script: true}}
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString,
		lua.MathLibName: lua.OpenMath,
	} {
		i.l.Push(i.l.NewFunction(open))
		i.l.Push(lua.LString(name))
		i.l.Call(1, 0)
	}
	for _, name := range []string{
		"dofile", "loadfile", "print", "module", "require", "newproxy", "collectgarbage", "_printregs",
		"setfenv", "getfenv", "load", "loadstring",
	} {
		i.l.SetGlobal(name, lua.LNil)
	}
	math := i.l.GetGlobal("math").(*lua.LTable)
	for _, name := range []string{"random", "randomseed"} { // Lua here lacks Redis' own sequence
		math.RawSetString(name, i.l.NewFunction(func(l *lua.LState) int {
			l.RaiseError("%s", i.call.lack("math."+name+" in scripts"))
			return 0
		}))
	}
	i.l.SetGlobal("tostring", i.l.NewFunction(tostring))
	i.l.SetGlobal("redis", i.library())
	i.blame = i.l.NewFunction(blame)
	i.protect()
	return i
}

// protect makes KEYS and ARGV appear as globals and everything else unchangeable.
func (i *interpreter) protect() {
	meta := i.l.NewTable()
	meta.RawSetString("__index", i.l.NewFunction(func(l *lua.LState) int {
		switch name := l.ToString(2); name {
		case "KEYS":
			l.Push(i.keys)
		case "ARGV":
			l.Push(i.argv)
		default:
			if slices.Contains(absent, name) {
				l.RaiseError("%s", i.call.lack(name+" in scripts"))
			}
			l.RaiseError("Script attempted to access nonexistent global variable '%s'", name)
		}
		return 1
	}))
	meta.RawSetString("__newindex", i.l.NewFunction(func(l *lua.LState) int {
		l.RaiseError("Attempt to modify a readonly table")
		return 0
	}))
	i.l.SetMetatable(i.l.Get(lua.GlobalsIndex), meta)
}

// absent are the globals that scripts have in Redis and lack in this package.
var absent = []string{"bit", "cjson", "cmsgpack", "coroutine", "gcinfo", "load", "loadstring",
	"struct"}

// tostring writes numbers as Lua 5.1 does: 14 digits.
func tostring(l *lua.LState) int {
	if n, ok := l.CheckAny(1).(lua.LNumber); ok {
		l.Push(lua.LString(formatNumber(float64(n), 14)))
	} else {
		l.Push(l.ToStringMeta(l.Get(1)))
	}
	return 1
}

// formatNumber is C's %.*g.
func formatNumber(f float64, digits int) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	case f == math.Trunc(f) && math.Abs(f) < 1e14:
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// library returns the redis table of a script.
func (i *interpreter) library() *lua.LTable {
	t := i.l.NewTable()
	for name, f := range map[string]lua.LGFunction{
		"call":         func(l *lua.LState) int { return i.command(true) },
		"pcall":        func(l *lua.LState) int { return i.command(false) },
		"error_reply":  errorReply,
		"status_reply": statusReply,
		"sha1hex":      func(l *lua.LState) int { l.Push(lua.LString(sha(l.CheckString(1)))); return 1 },
		"replicate_commands": func(l *lua.LState) int {
			l.Push(lua.LTrue)
			return 1
		},
	} {
		t.RawSetString(name, i.l.NewFunction(f))
	}
	return t
}

func statusReply(l *lua.LState) int {
	if s, ok := l.Get(1).(lua.LString); ok && l.GetTop() == 1 {
		l.Push(single(l, "ok", string(s)))
	} else {
		l.Push(single(l, "err", "ERR wrong number or type of arguments"))
	}
	return 1
}

func errorReply(l *lua.LState) int {
	s, ok := l.Get(1).(lua.LString)
	if !ok || l.GetTop() != 1 {
		s = "-ERR wrong number or type of arguments"
	}
	msg := strings.TrimRight(strings.TrimPrefix(string(s), "-"), "\r\n")
	if !strings.Contains(msg, " ") {
		msg = "ERR " + msg
	}
	l.Push(single(l, "err", msg))
	return 1
}

func single(l *lua.LState, name, text string) *lua.LTable {
	t := l.NewTable()
	t.RawSetString(name, lua.LString(text))
	return t
}

// command is redis.call, and redis.pcall, which returns an error instead of throwing it.
func (i *interpreter) command(throw bool) int {
	args, problem := i.arguments()
	result := resp.Writer{}
	if problem != "" {
		result.Error(problem)
	} else {
		i.inner = call{e: i.call.e, s: &i.session, args: args, out: reply{resp.Writer{B: i.scratch[:0]}}}
		i.inner.dispatch()
		result, i.scratch = i.inner.out.Writer, i.inner.out.B
	}
	v, _ := i.fromReply(result.B)
	if t, ok := v.(*lua.LTable); ok && throw && t.RawGetString("err") != lua.LNil {
		i.l.Error(t, 0)
	}
	i.l.Push(v)
	return 1
}

func (i *interpreter) arguments() (args []string, problem string) {
	if i.l.GetTop() == 0 {
		return nil, "ERR Please specify at least one argument for this redis lib call"
	}
	args = make([]string, 0, i.l.GetTop())
	for n := 1; n <= i.l.GetTop(); n++ {
		switch v := i.l.Get(n).(type) {
		case lua.LString:
			args = append(args, string(v))
		case lua.LNumber:
			args = append(args, formatNumber(float64(v), 17))
		default:
			return nil, "ERR Lua redis lib command arguments must be strings or integers"
		}
	}
	return args, ""
}

// fromReply turns a reply into a Lua value for a script, and returns the length of the reply in
// bytes.
func (i *interpreter) fromReply(b []byte) (lua.LValue, int) {
	kind, head, used := resp.Line(b)
	n, _ := strconv.ParseInt(string(head), 10, 64) // valid, since the engine made the reply
	switch kind {
	case '+':
		return single(i.l, "ok", string(head)), used
	case '-':
		return single(i.l, "err", string(head)), used
	case ':':
		return lua.LNumber(n), used
	case '$':
		if n < 0 {
			return lua.LFalse, used
		}
		return lua.LString(b[used : used+int(n)]), used + int(n) + 2
	}
	t := i.l.CreateTable(int(n), 0)
	for range n {
		v, m := i.fromReply(b[used:])
		t.Append(v)
		used += m
	}
	return t, used
}

// reply turns the result of a script into a reply.
func (i *interpreter) reply(out *resp.Writer, v lua.LValue) {
	switch v := v.(type) {
	case lua.LBool:
		if v {
			out.Integer(1)
		} else {
			out.Null()
		}
	case lua.LNumber:
		out.Integer(int64(v))
	case lua.LString:
		out.Bulk(string(v))
	case *lua.LTable:
		i.replyTable(out, v)
	default:
		out.Null()
	}
}

func (i *interpreter) replyTable(out *resp.Writer, t *lua.LTable) {
	if s, ok := t.RawGetString("err").(lua.LString); ok {
		out.Error(string(s))
		return
	}
	if s, ok := t.RawGetString("ok").(lua.LString); ok {
		out.Status(string(s))
		return
	}
	n := 0
	for t.RawGetInt(n+1) != lua.LNil {
		n++
	}
	out.Array(n)
	for k := 1; k <= n; k++ {
		i.reply(out, t.RawGetInt(k))
	}
}
