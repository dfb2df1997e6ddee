package engine

import "sync"

// command is a row of the table of commands.
type command struct {
	arity      int  // arguments with the name; below zero: at least so many
	write      bool // refused by a replica
	noScript   bool // refused in a script
	subscribed bool // allowed to a connection that listens to channels
	run        func(*call)
}

func (c command) takes(n int) bool { return n == c.arity || c.arity < 0 && n >= -c.arity }

func read(arity int, run func(*call)) command { return command{arity: arity, run: run} }
func write(arity int, run func(*call)) command {
	return command{arity: arity, write: true,
		run: run}
}

// commands is the table of commands, made when it is first asked: running a script leads back to
// it.
var (
	commands map[string]command
	once     sync.Once
)

func lookup(name string) (command, bool) {
	once.Do(func() { commands = table() })
	var small [longest]byte
	if len(name) > len(small) {
		return command{}, false
	}
	cmd, ok := commands[string(lower(small[:0], name))]
	return cmd, ok
}

// longest is more than the longest name of a command.
const longest = 16

// lower appends name in lower case.
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

func table() map[string]command {
	return map[string]command{
		"get": read(2, get), "set": write(-3, set), "setnx": write(3, setnx), "setex": write(4, setex),
		"psetex": write(4, setex),
		"getset": write(3, getset), "getdel": write(2, getdel), "getrange": read(4, getrange),
		"strlen": read(2, strlen),
		"incr":   write(2, incr), "decr": write(2, incr), "incrby": write(3, incr),
		"decrby": write(3, incr),

		"del": write(-2, del), "unlink": write(-2, del), "exists": read(-2, exists),
		"type": read(2, typeOf), "keys": read(2, keys),
		"expire": write(-3, expire), "pexpire": write(-3, expire), "expireat": write(-3, expire),
		"pexpireat": write(-3, expire),
		"ttl":       read(2, ttl), "pttl": read(2, ttl), "expiretime": read(2, ttl),
		"pexpiretime": read(2, ttl), "persist": write(2, persist),
		"flushall": write(-1, flush), "flushdb": write(-1, flush),

		"hset": write(-4, hset), "hsetnx": write(4, hsetnx), "hget": read(3, hget),
		"hdel": write(-3, hdel), "hexists": read(3, hexists),
		"hlen": read(2, hlen), "hincrby": write(4, hincrby), "hgetall": read(2, hgetall),
		"hkeys": read(2, hgetall), "hvals": read(2, hgetall),

		"eval": {arity: -3, noScript: true, run: eval}, "evalsha": {arity: -3, noScript: true,
			run: evalsha},
		"script": {arity: -2, noScript: true, run: script},

		"publish": read(3, publish), "subscribe": {arity: -2, noScript: true, subscribed: true,
			run: subscribe},
		"pubsub":      read(-2, pubsub),
		"unsubscribe": {arity: -1, noScript: true, subscribed: true, run: unsubscribe},

		"ping": {arity: -1, subscribed: true, run: ping}, "echo": read(2, echo), "time": read(1, clock),
		"info":  read(-1, info),
		"hello": {arity: -1, noScript: true, run: hello}, "client": {arity: -2, noScript: true,
			run: client},
		"select": read(2, selectDB), "wait": {arity: 3, noScript: true, run: wait}, "replicaof": {
			arity: 3, noScript: true, run: replicaOf},
	}
}
