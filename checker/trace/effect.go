package trace

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Kind is what a command does to the key of a lock.
type Kind uint8

// The kinds of effects.
const (
	None    Kind = iota
	Take         // sets the key if it is free: SETNX, SET with NX
	Rewrite      // sets the key if it is held: SET with XX
	Write        // sets the key in any case: SET
	Swap         // sets the key in any case and returns the old value: GETSET
	Count        // creates the key or increments its value: INCR, INCRBY, HINCRBY
	Field        // sets a field of a key, and creates the key if necessary: HSET, HSETNX
	Expire       // sets when a key that is held ends
	Persist      // takes that away
	Free         // deletes the key
	Script       // what its author says of it; see Reader
)

// Writes reports whether a command of this kind can write a value of its sender to the key.
func (k Kind) Writes() bool { return k >= Take && k <= Field || k == Script }

// Effect is the purpose of a command for a key.
type Effect struct {
	Kind       Kind
	Key, Value string // the value that is written, of a hash the field
	Expiry     Expiry
	// it does so only if the key has the value Is: DELIFEQ, DELEX with IFEQ, SET with IFEQ
	Compares bool
	Is       string
}

// Expiry is when a key ends. The zero Expiry is never.
type Expiry struct {
	Seconds  float64
	Absolute bool // since 1970, on the server's clock; else from now on
}

// EndAt returns the end, in seconds since 1970, of a key that got its expiry when the server's
// clock showed wall.
func (e Expiry) EndAt(wall float64) float64 {
	if e.Absolute {
		return e.Seconds
	}
	return wall + e.Seconds
}

// command describes a Redis command. done and refused interpret its reply; nil means that the reply
// says nothing.
type command struct {
	kind          Kind
	done, refused func(reply string) bool
	unit          string // of the expiry that it sets
}

// commands are the Redis commands that concern locks. All others do nothing to one.
var commands = map[string]command{
	"SETNX": {kind: Take, done: yes, refused: func(r string) bool {
		return r == "0" ||
			r == "false"
	}},
	"MSETNX": {kind: Take, done: yes},
	"HSETNX": {kind: Field, done: yes},
	"HSET":   {kind: Field},
	"SET": {kind: Write, done: okay, refused: func(r string) bool {
		return r == "(nil)" ||
			r == ""
	}},
	"SETEX":   {kind: Write, done: okay, unit: "EX"},
	"PSETEX":  {kind: Write, done: okay, unit: "PX"},
	"GETSET":  {kind: Swap, done: always},
	"INCR":    {kind: Count, done: always},
	"INCRBY":  {kind: Count, done: always},
	"HINCRBY": {kind: Count, done: always},

	"EXPIRE":    {kind: Expire, unit: "EX"},
	"PEXPIRE":   {kind: Expire, unit: "PX"},
	"EXPIREAT":  {kind: Expire, unit: "EXAT"},
	"PEXPIREAT": {kind: Expire, unit: "PXAT"},
	"PERSIST":   {kind: Persist},
	"GETEX":     {done: notNil}, // what it does, its options say

	"DEL":    {kind: Free, done: yes},
	"UNLINK": {kind: Free, done: yes},
	"GETDEL": {kind: Free, done: notNil},
	// they compare: Valkey has the one since 9.0, Redis the other since 8.4
	"DELIFEQ": {kind: Free, done: yes},
	"DELEX":   {kind: Free, done: yes},

	// A script that takes the key mostly returns 1 or OK. Only its author knows its other replies.
	"EVAL":    {kind: Script, done: notZero},
	"EVALSHA": {kind: Script, done: notZero},
	"FCALL":   {kind: Script, done: notZero},
}

// commandOf returns the row of a command. The reply to a SET with NX and GET is the value that is
// there: none if it set the key. If the value is its own, an earlier try took the key.
func commandOf(args []string) command {
	c := commands[verb(args)]
	if c.kind != Write || !has(args, "GET") {
		return c
	}
	if e := EffectOf(args); e.Kind == Take {
		c.done = func(r string) bool { return r == "(nil)" }
		c.refused = func(r string) bool { return r != "(nil)" && r != e.Value }
	}
	return c
}

// EffectOf returns the purpose of a command with these arguments.
func EffectOf(args []string) Effect {
	if len(args) == 0 {
		return Effect{}
	}
	c := commands[upper(args[0])]
	e := Effect{Kind: c.kind}
	at := 1
	if c.kind == Script {
		at = 3
	}
	if len(args) > at {
		e.Key = args[at]
	}
	if len(args) > at+1 {
		e.Value = args[at+1]
	}
	switch c.kind {
	case None:
		if verb(args) == "GETEX" {
			e.getex(args)
		}
	case Expire:
		e.Expiry, e.Value = expiry(c.unit, e.Value), ""
	case Write:
		if c.unit == "" {
			e.options(args[min(3, len(args)):])
		} else if len(args) > 3 { // the expiry precedes the value
			e.Expiry, e.Value = expiry(c.unit, args[2]), args[3]
		}
	case Count:
		if verb(args) == "INCRBY" {
			e.Value = "" // by how much
		}
	case Free:
		e.Value = ""
		e.compares(args)
	}
	return e
}

// getex reads what a GETEX does to the life of the key.
func (e *Effect) getex(args []string) {
	e.Value = ""
	switch {
	case has(args[min(2, len(args)):], "PERSIST"):
		e.Kind = Persist
	case len(args) > 3:
		e.Kind, e.Expiry = Expire, expiry(upper(args[2]), args[3])
	}
}

// compares reads with which value a deletion compares.
func (e *Effect) compares(args []string) {
	switch v := verb(args); {
	case v == "DELIFEQ" && len(args) > 2:
		e.Compares, e.Is = true, args[2]
	case v == "DELEX" && len(args) > 3 && strings.EqualFold(args[2], "IFEQ"):
		e.Compares, e.Is = true, args[3]
	case v == "DELEX" && len(args) > 3 && strings.EqualFold(args[2], "IFDEQ"):
		e.Compares, e.Is = true, digest+args[3]
	}
}

// digest marks the digest of a value. No client writes a value that begins so.
const digest = "digest "

// options reads the options after the value of a SET.
func (e *Effect) options(words []string) {
	for i, w := range words {
		switch w = upper(w); w {
		case "NX":
			e.Kind = Take
		case "XX":
			e.Kind = Rewrite
		case "IFEQ", "IFDEQ":
			if i+1 < len(words) {
				e.Kind, e.Compares, e.Is = Rewrite, true, words[i+1]
			}
			if w == "IFDEQ" {
				e.Is = digest + e.Is
			}
		case "EX", "PX", "EXAT", "PXAT":
			if i+1 < len(words) {
				e.Expiry = expiry(w, words[i+1])
			}
		}
	}
	if e.Compares && e.Is == e.Value { // the value stays and gets a new expiry
		e.Kind, e.Value = e.life(words), ""
	}
}

// life returns the effect of a SET that keeps the value on the expiry: without an expiry the key
// has none afterwards.
func (e *Effect) life(words []string) Kind {
	switch {
	case has(words, "KEEPTTL"):
		return None
	case e.Expiry == (Expiry{}):
		return Persist
	}
	return Expire
}

func has(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}

func expiry(unit, number string) Expiry {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return Expiry{}
	}
	if strings.HasPrefix(unit, "P") {
		n /= 1000
	}
	return Expiry{n, strings.HasSuffix(unit, "AT")}
}

// Verb returns the name of a command in upper case.
func Verb(m *history.Command) string { return verb(m.Args) }

func verb(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return upper(args[0])
}

// upper is strings.ToUpper. It is faster for the words that clients usually send, since the rules
// ask for the name of each command many times.
func upper(word string) string {
	if u, usual := usualWords[word]; usual {
		return u
	}
	return strings.ToUpper(word)
}

// usualWords are the names of commands and the options of SET, in upper and in lower case.
var usualWords = func() map[string]string {
	out := map[string]string{}
	add := func(word string) { out[word], out[strings.ToLower(word)] = word, word }
	for name := range commands {
		add(name)
	}
	for name := range silent {
		add(name)
	}
	for _, option := range []string{"NX", "XX", "EX", "PX", "GET", "KEEPTTL"} {
		add(option)
	}
	return out
}()

// Key returns the key that a command is about.
func Key(m *history.Command) string {
	at := max(1, m.About)
	if m.About == 0 && scripted(m) {
		at = 3
	}
	if len(m.Args) <= at {
		return ""
	}
	return m.Args[at]
}

// scripted reports whether a command runs a script. It is asked so often that it looks nothing up.
func scripted(m *history.Command) bool {
	return len(m.Args) > 0 && slices.ContainsFunc(scriptCommands, func(name string) bool {
		return strings.EqualFold(name, m.Args[0])
	})
}

var scriptCommands = slices.DeleteFunc(slices.Collect(maps.Keys(commands)),
	func(name string) bool { return commands[name].kind != Script })

// Answered reports whether a command was executed, as far as its client knows.
func Answered(m *history.Command) bool {
	return m.Recv != 0 && m.Err == "" && !strings.HasPrefix(m.Reply, "(error)")
}

// Served reports whether a command got an answer: it was executed, or its own error says why not,
// such as NOSCRIPT. A server that refuses to serve gives no answer.
func Served(m *history.Command) bool {
	return m.Recv != 0 && m.Err == "" &&
		!(strings.HasPrefix(m.Reply, "(error)") && history.NotServing(m.Reply))
}

// NoScript reports whether a server answered that it does not know a script.
func NoScript(m *history.Command) bool {
	return m.Err == "" && strings.HasPrefix(m.Reply, "(error) NOSCRIPT")
}

// Listens reports whether a command makes its client wait for others: a subscription, or one whose
// reply its server keeps back.
func Listens(m *history.Command) bool {
	return Blocks(m) && m.Recv == 0 || Verb(m) == "SUBSCRIBE" || Verb(m) == "PSUBSCRIBE"
}

// blocking are the commands whose server may keep the reply back until a key has an element.
var blocking = []string{"BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX",
	"BZMPOP"}

// Blocks reports whether the server may keep the reply to a command back for as long as the command
// asks for, as with BLPOP and XREAD BLOCK.
func Blocks(m *history.Command) bool {
	return slices.Contains(blocking, Verb(m)) ||
		strings.HasPrefix(Verb(m), "XREAD") && has(m.Args, "BLOCK")
}

// Pushes reports whether a command only adds elements to a list, as signals are sent.
func Pushes(m *history.Command) bool {
	return strings.HasPrefix(strings.TrimLeft(Verb(m), "LR"), "PUSH")
}

// Writers returns which process wrote a value first, for all values of the trace.
func Writers(commands []history.Command) map[string]int {
	out := map[string]int{}
	for i := range commands {
		c := &commands[i]
		for _, v := range c.Args[min(2, len(c.Args)):] {
			if _, ok := out[v]; !ok && len(v) > 3 {
				out[v] = c.Process
			}
		}
	}
	return out
}

// The meanings of replies.

func always(string) bool { return true }

func okay(reply string) bool { return reply == "OK" || reply == "true" }

func yes(reply string) bool {
	if okay(reply) {
		return true
	}
	n, err := strconv.Atoi(reply)
	return err == nil && n > 0
}

func notNil(reply string) bool { return reply != "(nil)" }

// found reports whether a command that moves the end of a key, or takes it away, found the key.
func found(m *history.Command) bool {
	if Verb(m) == "GETEX" {
		return notNil(m.Reply)
	}
	return yes(m.Reply)
}

func notZero(reply string) bool { return reply != "0" }
