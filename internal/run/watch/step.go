package watch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
)

// several are the commands whose words after the name are all keys.
var several = map[string]bool{"del": true, "unlink": true, "exists": true, "touch": true,
	"mget": true}

// step judges a command with the commands of its script.
func (j *Judge) step(s *step) {
	verb := strings.ToLower(s.Args[0])
	switch {
	case verb == "multi" && len(j.inTx) < maxKeys:
		j.inTx[s.From] = s.At
		return
	case verb == "exec" || verb == "discard" || verb == "reset":
		delete(j.inTx, s.From)
		return
	case verb == "ping" && len(s.Args) == 2:
		j.marker(s)
		return
	case verb == "pttl" && s.From == j.pollFrom && len(s.Args) == 2:
		j.probed(s)
		return
	}
	for _, c := range s.commands() {
		j.wholesale(s, c)
	}
	for _, l := range j.touched(s) {
		j.judge(l, s)
	}
}

// touched returns the keys that a step is about, without doubles.
func (k *keyspace) touched(s *step) (all []*lock) {
	seen := map[place]bool{}
	add := func(db int, key string) {
		at := place{db, key}
		if l := k.lock(at); l != nil && !seen[at] {
			seen[at] = true
			all = append(all, l)
		}
	}
	if runsScript(s.Args) {
		for _, key := range scriptKeys(s.Args) {
			add(s.DB, key)
		}
	}
	for _, c := range s.commands() {
		for _, key := range keysOf(c.Args) {
			add(c.DB, key)
		}
	}
	return all
}

// commands returns the commands with an effect: those of the script, or the command itself.
func (s *step) commands() []history.Shown {
	if runsScript(s.Args) {
		return s.inner
	}
	return []history.Shown{s.Shown}
}

// on returns the commands of a step that may be about a key.
func (s *step) on(l *lock) (all []history.Shown) {
	for _, c := range s.commands() {
		if c.DB == l.db && slices.Contains(keysOf(c.Args), l.name) {
			all = append(all, c)
		}
	}
	return all
}

// scriptKeys returns the words that EVAL names as keys.
func scriptKeys(args []string) []string {
	n := 0
	for _, c := range args[2] {
		if c < '0' || c > '9' || n > len(args) {
			return nil
		}
		n = 10*n + int(c-'0')
	}
	return args[3:min(len(args), 3+n)]
}

// keysOf returns the words of a command that may be keys.
func keysOf(args []string) []string {
	verb := strings.ToLower(args[0])
	switch {
	case len(args) < 2 || keyless[verb]:
		return nil
	case several[verb]:
		return args[1:]
	case modelled(verb):
		return args[1:2]
	}
	return args[1:] // an unknown command may have its keys anywhere
}

// keyless are common commands that change no key.
var keyless = map[string]bool{"ping": true, "echo": true, "publish": true, "subscribe": true,
	"spublish": true, "ssubscribe": true, "sunsubscribe": true,
	"psubscribe": true, "unsubscribe": true, "select": true, "client": true, "hello": true,
	"auth": true, "info": true, "script": true, "watch": true, "unwatch": true, "command": true,
	"wait": true, "object": true, "memory": true, "dump": true, "keys": true, "scan": true,
	"config": true, "time": true, "flushall": true, "flushdb": true, "swapdb": true}

// modelled reports whether the model knows a command that has one key, its first word.
func modelled(verb string) bool {
	switch verb {
	case "get", "set", "setnx", "setex", "psetex", "getset", "getdel", "getrange", "getex", "strlen",
		"incr", "decr", "incrby", "decrby", "append", "type", "expire", "pexpire", "expireat",
		"pexpireat", "ttl", "pttl", "expiretime", "pexpiretime", "persist", "hset", "hsetnx", "hmset",
		"hmget", "hget", "hdel", "hexists", "hlen", "hincrby", "hgetall", "hkeys", "hvals", "hscan",
		"lpush", "rpush", "lpop", "rpop", "llen", "lrange", "lindex", "lrem", "sadd", "srem", "scard",
		"sismember", "smembers", "zadd", "zrem", "zcard", "zscore", "zrank", "zrange", "zrangebyscore",
		"zcount", "zremrangebyscore":
		return true
	}
	return several[verb]
}

// wholesale carries out a command that empties or swaps databases.
func (j *Judge) wholesale(s *step, c history.Shown) {
	swap := is(c.Args[0], "swapdb")
	switch {
	case swap && (len(c.Args) != 3 || c.Args[1] == c.Args[2]):
		return // Redis refuses it, or it does nothing
	case is(c.Args[0], "flushall", "flushdb") && (len(c.Args) == 1 || is(c.Args[1], "sync", "async")):
	case !swap:
		return
	}
	for at, l := range j.locks {
		if is(c.Args[0], "flushdb") && at.db != c.DB ||
			swap && !slices.Contains(c.Args[1:], strconv.Itoa(at.db)) {
			continue
		}
		if l.now != nil && !l.now.plain && !l.now.loose && l.alive(s) {
			j.tell(l, s.At, Vanished, l.now,
				"the key of a running hold was removed by "+strings.ToUpper(c.Args[0]),
				witness(l.now.taken, l.name), witness(c, l.name))
		}
		j.end(l, vanished, s.At)
		l.known = !swap
	}
	switch {
	case is(c.Args[0], "flushall"):
		for db := range 16 {
			j.emptied[db] = true
		}
	case is(c.Args[0], "flushdb"):
		j.emptied[c.DB] = true
	default:
		for _, w := range c.Args[1:] {
			db, _ := strconv.Atoi(w)
			delete(j.emptied, db)
		}
	}
}

// judge carries out what a step does to one key in the model, and judges it.
func (j *Judge) judge(l *lock, s *step) {
	l.used = j.steps
	lateRelease(j, l, s)
	if l.known && l.now != nil && j.settleExpiry(l, s) && !j.decideNear(l, s) {
		return
	}
	before, beforeHold := l.value, l.now
	act := act{step: s}
	for _, c := range s.on(l) {
		j.execute(l, c, &act)
	}
	if !l.known {
		l.Unjudged++
		j.Unjudged++
		if l.near {
			j.AfterNear++
		}
		return
	}
	l.near = false
	j.classify(l, &act, before, beforeHold)
}

// act is what a step did to a key, for classify.
type act struct {
	*step
	takes bool   // it has a command that takes a free key, or writes in a script or transaction
	form  string // the shape that it shows
}

// execute carries out one command on the model of a key.
func (k *keyspace) execute(l *lock, c history.Shown, a *act) {
	verb := strings.ToLower(c.Args[0])
	if !modelled(verb) {
		l.Strange = strings.ToUpper(name(verb))
		l.forget()
		for _, w := range c.Args[1:] { // MOVE and COPY name another database
			db, err := strconv.Atoi(w)
			if same := k.locks[place{db, l.name}]; err == nil && same != nil {
				same.forget()
			}
		}
		return
	}
	args := c.Args
	if several[verb] {
		args = []string{args[0], l.name}
	}
	form, takes := k.formOf(a.step, c, verb)
	a.takes, a.form = a.takes || takes, cmp.Or(form, a.form)
	if !l.known && !overwrites(args) {
		return
	}
	reply := k.run(l, a.At, args)
	switch {
	case !strings.HasPrefix(reply, "(error)"):
		l.known = true
	case strings.Contains(reply, "syntax") || strings.Contains(reply, "unknown"):
		l.forget() // this Redis may know more than the model
	}
}

// run carries out a command on the value of a key, and returns the reply.
func (k *keyspace) run(l *lock, at int64, args []string) (reply string) {
	k.model.Load(engine.SnapshotOf(l.name, l.value))
	s := k.model.Open(func([]byte) {})
	defer k.model.Close(s)
	reply = resp.Text(k.model.Do(at, s, args))
	l.value = engine.ValueOf(k.model, l.name)
	return reply
}

// formOf returns the shape of a lock that a command belongs to, and whether it may take a lock.
func (k *keyspace) formOf(s *step, c history.Shown, verb string) (form string, takes bool) {
	const quick = 1e6 // µs; an older MULTI may be that of a connection that is closed
	inScript, inTx := runsScript(s.Args), k.inTx[s.From] > s.At-quick
	kind := trace.EffectOf(c.Args).Kind
	writes := kind == trace.Write || kind == trace.Rewrite
	switch {
	case verb == "set" && kind == trace.Take && inScript:
		return "script with SET NX", true
	case verb == "set" && kind == trace.Take:
		return "SET NX", true
	case is(verb, "setnx", "getset", "hsetnx"):
		return strings.ToUpper(verb), true
	case inScript && is(verb, "hincrby", "hset"):
		return "hash with counter", true
	case inScript && writes:
		return "script", true
	case inTx && writes:
		return "transaction", true
	}
	return "", false
}

// overwrites reports whether the effect of a command does not depend on the value of its key.
func overwrites(args []string) bool {
	kind := trace.EffectOf(args).Kind
	return kind == trace.Free || kind == trace.Write &&
		!slices.ContainsFunc(args[min(3, len(args)):], func(w string) bool {
			return is(w, "keepttl", "get")
		})
}

// alive reports whether the model is sure that a key has not expired at a step.
func (l *lock) alive(s *step) bool {
	return l.now != nil && (l.now.until == 0 || s.hi+stampError < l.now.until)
}

// settleExpiry ends a hold whose lease is surely over. It returns true if the end is too near.
func (j *Judge) settleExpiry(l *lock, s *step) (near bool) {
	h := l.now
	if l.alive(s) {
		return false
	}
	if s.lo-stampError > h.until+1000 {
		j.expire(l)
		return false
	}
	return true
}

// expire ends a hold by its lease.
func (j *Judge) expire(l *lock) {
	h := l.now
	l.Expired++
	j.end(l, expired, h.until)
}

// decideNear handles a step that came within the error of the end of a lease. It returns false if
// the step decides nothing.
func (j *Judge) decideNear(l *lock, s *step) bool {
	wrote, takes, h := false, false, l.now
	for _, c := range s.on(l) {
		if verb := strings.ToLower(c.Args[0]); !engine.Reads(verb) {
			_, may := j.formOf(s, c, verb)
			wrote, takes = true, takes || may
		}
	}
	switch {
	case !wrote:
		return false
	case runsScript(s.Args) && names(l, s.Args, l.now.value): // it compared, so the key was there
		j.run(l, l.now.until, []string{"PERSIST", l.name})
	default:
		if takes && !names(l, s.Args, l.now.value) { // it ends now, and another may get the key
			l.Expired++
			l.now.told = true // a renewal in time that comes next would not be seen
			j.end(l, expired, l.now.until)
		}
		l.forget()
		if l.near = true; h.ended == expired {
			l.over = h
		}
		j.Near++
	}
	return true
}

// lateRelease tells an overrun of a hold whose lease ended near another client's try. Whether that
// try got the key is unknown, but the lease is surely over later, unless a command within the error
// renewed it. So the hold is given up at any command within the error but a try of another client,
// and at a later one that names its owner and is no release that found nothing.
func lateRelease(j *Judge, l *lock, s *step) {
	h := l.over
	if h == nil {
		return
	}
	reads, tries, mine := true, true, names(l, s.Args, h.value)
	for _, c := range s.on(l) {
		verb := strings.ToLower(c.Args[0])
		_, takes := j.formOf(s, c, verb)
		reads, tries = reads && engine.Reads(verb), tries && takes
		mine = mine || names(l, c.Args, h.value)
	}
	r := j.role(l, s)
	switch soon := s.lo-stampError <= h.until+1000; {
	case soon && (mine || !tries):
		l.over = nil
	case soon || !mine:
	default:
		l.over = nil
		if runsScript(s.Args) && reads && r.frees && !r.takes && !r.renews && l.named(s) == h {
			h.told = false
			j.overrun(l, s, h, "release")
		}
	}
}

// names reports whether a command has a word that names a value.
func names(l *lock, args []string, value string) bool {
	return slices.ContainsFunc(args[1:], func(a string) bool {
		return a != l.name && (a == value || len(value) >= 4 && strings.Contains(a, value) ||
			len(a) >= 4 && strings.Contains(value, a))
	})
}
