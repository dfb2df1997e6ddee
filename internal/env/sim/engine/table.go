package engine

import (
	_ "embed"
	"strings"
)

// command is a row of the table of commands.
type command struct {
	name  string
	arity int // number of words including the name, or if negative the least number
	flags flags
	run   func(*call)
}

type flags uint

const (
	write      flags = 1 << iota // refused by a replica
	grows                        // refused by a server whose memory is full
	noScript                     // refused in a script
	subscribed                   // allowed to a connection that listens to channels
	busy                         // allowed while a script does not end
	control                      // controls a transaction, so it is never queued
	alone                        // Redis can queue it, and this package cannot
)

func (c command) has(f flags) bool { return c.flags&f != 0 }

func (c command) takes(n int) bool { return n == c.arity || c.arity < 0 && n >= -c.arity }

func table() []command {
	return []command{
		{"get", 2, 0, onValue(aString, get)},
		{"set", -3, write | grows, set},
		{"setnx", 3, write | grows, setnx},
		{"setex", 4, write | grows, setex},
		{"psetex", 4, write | grows, setex},
		{"getset", 3, write | grows, onValue(aString, getset)},
		{"getdel", 2, write, onValue(aString, getdel)},
		{"getrange", 4, 0, onRange(aString, getrange)},
		{"getex", -2, write, getex},
		{"strlen", 2, 0, onValue(aString, strlen)},
		{"incr", 2, write | grows, incr},
		{"decr", 2, write | grows, incr},
		{"incrby", 3, write | grows, incr},
		{"decrby", 3, write | grows, incr},

		{"append", 3, write | grows, onValue(aString, appendTo)},
		{"mget", -2, 0, mget},
		{"mset", -3, write | grows, mset},
		{"msetnx", -3, write | grows, mset},

		{"del", -2, write, del},
		{"unlink", -2, write, del},
		{"exists", -2, 0, exists},
		{"touch", -2, 0, exists},
		{"rename", 3, write, rename},
		{"renamenx", 3, write, rename},
		{"dbsize", 1, 0, dbsize},
		{"type", 2, 0, typeOf},
		{"keys", 2, 0, keys},
		{"scan", -2, 0, scan},
		{"expire", -3, write, expire},
		{"pexpire", -3, write, expire},
		{"expireat", -3, write, expire},
		{"pexpireat", -3, write, expire},
		{"ttl", 2, 0, ttl},
		{"pttl", 2, 0, ttl},
		{"expiretime", 2, 0, ttl},
		{"pexpiretime", 2, 0, ttl},
		{"persist", 2, write, persist},
		{"flushall", -1, write, flush},
		{"flushdb", -1, write, flush},

		{"hset", -4, write | grows, hset},
		{"hsetnx", 4, write | grows, onValue(aHash, hsetnx)},
		{"hmset", -4, write | grows, hset},
		{"hmget", -3, 0, onValue(aHash, hmget)},
		{"hget", 3, 0, onValue(aHash, hget)},
		{"hdel", -3, write, onValue(aHash, withdraw)},
		{"hexists", 3, 0, onValue(aHash, contains)},
		{"hlen", 2, 0, onValue(aHash, size)},
		{"hincrby", 4, write | grows, hincrby},
		{"hgetall", 2, 0, onValue(aHash, hgetall)},
		{"hkeys", 2, 0, onValue(aHash, hgetall)},
		{"hvals", 2, 0, onValue(aHash, hgetall)},
		{"hscan", -3, 0, scanFields(aHash)},

		{"lpush", -3, write | grows, onValue(aList, push)},
		{"rpush", -3, write | grows, onValue(aList, push)},
		{"lpushx", -3, write | grows, onValue(aList, push)},
		{"rpushx", -3, write | grows, onValue(aList, push)},
		{"lpop", -2, write, pop},
		{"rpop", -2, write, pop},
		{"rpoplpush", 3, write | grows, move},
		{"lmove", 5, write | grows, move},
		{"blpop", -3, write | noScript, blocks(popEnd)},
		{"brpop", -3, write | noScript, blocks(popEnd)},
		{"brpoplpush", 4, write | grows | noScript, blocks(moveEnd)},
		{"blmove", 6, write | grows | noScript, blocks(moveEnd)},
		{"llen", 2, 0, onValue(aList, size)},
		{"lrange", 4, 0, onRange(aList, lrange)},
		{"ltrim", 4, write, onRange(aList, ltrim)},
		{"lindex", 3, 0, onValue(aList, lindex)},
		{"lrem", 4, write, lrem},

		{"sadd", -3, write | grows, onValue(aSet, sadd)},
		{"srem", -3, write, onValue(aSet, withdraw)},
		{"scard", 2, 0, onValue(aSet, size)},
		{"sismember", 3, 0, onValue(aSet, contains)},
		{"smembers", 2, 0, onValue(aSet, smembers)},
		{"sscan", -3, 0, scanFields(aSet)},

		{"zadd", -4, write | grows, zadd},
		{"zincrby", 4, write | grows, zadd},
		{"zrem", -3, write, onValue(aSortedSet, withdraw)},
		{"zcard", 2, 0, onValue(aSortedSet, size)},
		{"zscore", 3, 0, onValue(aSortedSet, zscore)},
		{"zscan", -3, 0, scanFields(aSortedSet)},
		{"zpopmin", -2, write, zpop},
		{"zpopmax", -2, write, zpop},
		{"bzpopmin", -3, write | noScript, blocks(popScore)},
		{"bzpopmax", -3, write | noScript, blocks(popScore)},
		{"zrank", 3, 0, onValue(aSortedSet, zrank)},
		{"zrange", -4, 0, zrange},
		{"zrangebyscore", -4, 0, zrangebyscore},
		{"zcount", 4, 0, byScore(zcount)},
		{"zremrangebyscore", 4, write, byScore(zremrangebyscore)},

		{"eval", -3, noScript, eval},
		{"evalsha", -3, noScript, evalsha},
		{"script", -2, noScript | alone, script},

		{"multi", 1, noScript | control | busy, multi},
		{"exec", 1, noScript | control, exec},
		{"discard", 1, noScript | control | busy, discard},
		{"watch", -2, noScript | control | busy, watch},
		{"unwatch", 1, noScript | busy, unwatch},

		{"publish", 3, 0, publish},
		{"subscribe", -2, noScript | subscribed | alone, subscribe},
		{"unsubscribe", -1, noScript | subscribed | alone, unsubscribe},
		{"psubscribe", -2, noScript | subscribed | alone, psubscribe},
		{"punsubscribe", -1, noScript | subscribed | alone, punsubscribe},
		{"pubsub", -2, alone, pubsub},

		{"ping", -1, subscribed, ping},
		{"echo", 2, 0, echo},
		{"time", 1, 0, clock},
		{"info", -1, 0, info},
		{"hello", -1, noScript | busy | alone, hello},
		{"client", -2, noScript | alone, client},
		{"select", 2, 0, selectDB},
		{"wait", 3, noScript | alone, wait},
		{"replicaof", 3, noScript | alone, replicaOf},
	}
}

// commands is the table by name.
var commands = map[string]command{}

func init() { // running a script leads back to the table
	for _, c := range table() {
		commands[c.name] = c
	}
}

func lookup(name string) (command, bool) {
	var small [longest]byte
	if len(name) > len(small) {
		return command{}, false
	}
	cmd, ok := commands[string(lower(small[:0], name))]
	return cmd, ok
}

// Reads reports whether the command with this name surely changes nothing and sends no message.
func Reads(name string) bool {
	c, known := lookup(name)
	return known && c.flags == 0 && c.name != "publish"
}

// longest is greater than the length of every command's name.
const longest = 20

func lower(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// Redis7 lists all commands of redis-server of this Version, one in each line, a subcommand as
// "client|list".
//
//go:embed redis7.txt
var Redis7 string

// inRedis reports whether redis-server has a command, or a subcommand of one.
func inRedis(words ...string) bool {
	return strings.Contains("\n"+Redis7, "\n"+strings.ToLower(strings.Join(words, "|"))+"\n")
}
