package engine_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// commandsNormal and commandsSoak are how many random commands are compared.
const (
	commandsNormal = 10_000
	commandsSoak   = 200_000
)

// TestRandomAgainstRedis gives a real server and the engine the same random commands and scripts
// over a few keys, while their clock is moved forward and back, and compares every byte.
func TestRandomAgainstRedis(t *testing.T) {
	b := startBoth(t)
	n, seed := commandsNormal, uint64(1)
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		n, seed = commandsSoak, uint64(time.Now().UnixNano())
	}
	if s, err := strconv.ParseUint(os.Getenv("LOCKBENCH_SEED"), 10, 64); err == nil {
		seed = s
	}
	g := newGenerator(t, seed)
	for i := range n {
		if g.r.IntN(12) == 0 {
			b.move(g)
		}
		args := g.command()
		if real, ours := b.do(b.conns[0], args...); real != ours {
			t.Fatalf("seed %d, command %d: %q at %d\nredis-server: %q\nengine:       %q\nbefore it:\n%s",
				seed, i, args, b.now, real, ours, g.recent())
		}
	}
	t.Logf("%d commands from seed %d: no difference", n, seed)
}

// move moves the clock. Both servers then look at every key, since the real one also removes those
// that are over by itself, and they would be there again if the clock went back.
func (b *both) move(g *generator) {
	d := []int64{1, 2, 49, 50, 99, 100, 101, 499, 1000, 5000, -1, -50, -700}[g.r.IntN(13)]
	b.at(b.now + d*1000 + g.r.Int64N(1000))
	g.note(fmt.Sprintf("the clock moves by %d ms", d))
	if real, ours := b.do(b.conns[0], append([]string{"EXISTS"}, g.keys...)...); real != ours {
		b.t.Fatalf("EXISTS after the clock moved by %d ms: redis-server %q, engine %q; before it:\n%s", d,
			real, ours, g.recent())
	}
}

// generator makes random commands.
type generator struct {
	r       *rand.Rand
	keys    []string
	scripts []string
	shas    []string
	last    []string
}

func newGenerator(t *testing.T, seed uint64) *generator {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1)), keys: []string{"lock:0", "{lock}:1", "h"}}
	files, err := filepath.Glob("../../../../impls/*.lua")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d scripts of locks found: %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		g.scripts = append(g.scripts, string(text))
	}
	g.scripts = append(g.scripts, ownScripts...)
	return g
}

// ownScripts go where those of the locks do not.
var ownScripts = []string{
	"return redis.call('get', KEYS[1])",
	"return redis.pcall('hgetall', KEYS[1])",
	"return {redis.call('exists', KEYS[1]), redis.call('pttl', KEYS[1]), redis.call('type', KEYS[1])}",
	"local v = redis.pcall('incr', KEYS[1]) if type(v) == 'table' then return v.err end return v",
	"if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 else return 0 end",
	"redis.call('set', KEYS[1], #ARGV + 0.5) return redis.call('get', KEYS[1])",
	"local t = redis.call('time') return {t[1], t[2], tonumber(t[1]) * 1000}",
	"for i = 1, 3 do redis.call('hincrby', KEYS[1], 'f' .. i, i) end " +
		"return redis.call('hgetall', KEYS[1])",
	"return redis.call('expire', KEYS[1], ARGV[1])",
	"redis.call('del', unpack(KEYS)) return redis.call('publish', 'c', ARGV[1])",
	"return {1, {2, {ARGV[1]}}, nil, 4}",
	"redis.call('set', KEYS[1], 'half done') return redis.call('hget', KEYS[1], 'f')",
	"return redis.error_reply(ARGV[1])",
	"return missing",
}

var (
	values = []string{"v", "w", "1", "-1", "01", "", "1767225603001", "text with space",
		"9223372036854775807", "\x00\r\n"}
	fields  = []string{"f", "uuid:1", "uuid:2"}
	amounts = []string{"1", "2", "50", "99", "100", "101", "1000", "5000", "0", "-1", "abc", "",
		"9223372036854775807", "9223372036854775", "1.5"}
	options = []string{"NX", "XX", "nx", "GET", "KEEPTTL", "EX", "PX", "EXAT", "PXAT", "GT", "LT",
		"FOO"}
	simple = [][]string{
		{"GET", "K"}, {"SETNX", "K", "V"}, {"GETSET", "K", "V"}, {"GETDEL", "K"}, {"DEL", "K"},
		{"DEL", "K", "K"}, {"EXISTS", "K", "K"},
		{"TTL", "K"}, {"PTTL", "K"}, {"PERSIST", "K"}, {"TYPE", "K"}, {"INCR", "K"}, {"DECR", "K"},
		{"INCRBY", "K", "A"}, {"DECRBY", "K", "A"},
		{"EXPIRE", "K", "A"}, {"PEXPIRE", "K", "A"}, {"EXPIREAT", "K", "A"}, {"PEXPIRE", "K", "A", "O"},
		{"EXPIRE", "K", "A", "O", "O"},
		{"RPUSH", "L", "V"}, {"LPUSH", "L", "V", "V"}, {"LPOP", "L"}, {"RPOP", "L", "A"},
		{"LRANGE", "L", "A", "A"}, {"LREM", "L", "A", "V"}, {"LTRIM", "L", "A", "A"}, {"LLEN", "K"},
		{"SADD", "S", "V"}, {"SREM", "S", "V"}, {"SCARD", "S"}, {"SISMEMBER", "S", "V"},
		{"ZADD", "Z", "A", "F"}, {"ZREM", "Z", "F"}, {"ZSCORE", "Z", "F"}, {"ZRANGE", "Z", "0", "-1"},
		{"ZREMRANGEBYSCORE", "Z", "A", "A"}, {"ZCARD", "K"}, {"RENAME", "K", "K"},
		{"SET", "K", "V"}, {"SET", "K", "V", "NX", "PX", "A"}, {"SET", "K", "V", "PX", "A"},
		{"SET", "K", "V", "O"}, {"SET", "K", "V", "O", "A"},
		{"SET", "K", "V", "O", "A", "O"}, {"SET", "K", "V", "O", "O", "A"}, {"SETEX", "K", "A", "V"},
		{"PSETEX", "K", "A", "V"},
		{"HSET", "K", "F", "V"}, {"HSET", "K", "F", "V", "F", "V"}, {"HGET", "K", "F"},
		{"HDEL", "K", "F"}, {"HEXISTS", "K", "F"},
		{"HINCRBY", "K", "F", "A"}, {"HGETALL", "K"}, {"HLEN", "K"}, {"HSETNX", "K", "F", "V"},
		{"STRLEN", "K"}, {"GETRANGE", "K", "A", "A"},
		{"EXPIRETIME", "K"}, {"PEXPIRETIME", "K"}, {"PUBLISH", "c", "V"}, {"TIME"}, {"PING"}, {"GET"},
		{"GETEX", "K"}, {"GETEX", "K", "O", "A"}, {"GETEX", "K", "PERSIST"}, {"ZPOPMIN", "Z", "A"},
		{"ZPOPMAX", "Z"}, {"KEYS", "V"}, {"HSCAN", "K", "0"},
		{"FLUSHALL"}, {"UNLINK", "K"}, {"NONE", "V"},
	}
)

func (g *generator) one(of []string) string { return of[g.r.IntN(len(of))] }

func (g *generator) note(s string) {
	g.last = append(g.last, s)
	g.last = g.last[max(0, len(g.last)-12):]
}

func (g *generator) recent() string { return strings.Join(g.last, "\n") }

func (g *generator) command() []string {
	var args []string
	switch g.r.IntN(8) {
	case 0, 1:
		args = g.eval(g.one(g.scripts))
	case 2:
		args = g.cached()
	default:
		for _, w := range simple[g.r.IntN(len(simple))] {
			args = append(args, g.fill(w))
		}
	}
	g.note(fmt.Sprintf("%q", args))
	return args
}

func (g *generator) fill(w string) string {
	switch w {
	case "K":
		return g.one(g.keys)
	case "V":
		return g.one(values)
	case "F":
		return g.one(fields)
	case "A":
		return g.one(amounts)
	case "O":
		return g.one(options)
	}
	return w
}

// eval calls a script with two keys and three arguments, as those of the locks need at most.
func (g *generator) eval(script string) []string {
	return []string{"EVAL", script, "2", g.one(g.keys), g.one(g.keys), g.one(amounts),
		g.one(append(fields, amounts...)), g.one(fields)}
}

// cached loads, flushes or calls a script by its name.
func (g *generator) cached() []string {
	switch n := g.r.IntN(20); {
	case n == 0:
		return []string{"SCRIPT", "FLUSH"}
	case n < 4:
		script := g.one(g.scripts)
		g.shas = append(g.shas, name(script))
		return []string{"SCRIPT", "LOAD", script}
	case n < 8:
		return []string{"SCRIPT", "EXISTS", g.sha(), g.sha()}
	}
	args := g.eval(g.sha())
	args[0] = "EVALSHA"
	return args
}

func (g *generator) sha() string {
	if len(g.shas) == 0 {
		return strings.Repeat("0", 40)
	}
	return g.one(g.shas)
}

func name(script string) string {
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}
