package engine_test

import (
	"strings"
	"testing"
)

// fullTable is what a server says whose memory is full, from the line "full" on.
const fullTable = `
	SET k 1
	HSET h f 1
	RPUSH l a
	full
	GET k
	SET k 2
	SETNX n 1
	SETEX n 10 v
	INCR k
	GETSET k v
	HSET h f 2
	HINCRBY h f 1
	SADD s a
	ZADD z 1 a
	RPUSH l b
	RPOPLPUSH l m
	EXPIRE k 10
	PEXPIRE h 100
	HDEL h f
	GETDEL k
	LPOP l
	EVAL "return redis.call('set', KEYS[1], 1)" 1 k
	EVAL "return redis.pcall('set', KEYS[1], 1)" 1 k
	EVAL "redis.call('del', KEYS[1]); return redis.call('set', KEYS[1], 1)" 1 k
	EVAL "return redis.call('get', KEYS[1])" 1 k
	EVAL "return redis.call('set', KEYS[1], 1)" 1 k
	MULTI
	SET k 2
	GET k
	EXEC
	MULTI
	GET k
	EXEC
	SUBSCRIBE c
	UNSUBSCRIBE c
	PUBLISH c m
	DEL k`

// TestAFullServerAgainstRedis: a script that has written goes on, and a transaction does not begin.
func TestAFullServerAgainstRedis(t *testing.T) {
	b := startBoth(t)
	p, q := b.dial(), b.dial()
	for line := range strings.Lines(fullTable) {
		switch line = strings.TrimSpace(line); line {
		case "":
		case "full":
			b.engine.Full = true
			b.send(p, "CONFIG", "SET", "maxmemory", "1")
			p.read(t)
		default:
			b.line(p, q, line)
		}
	}
}
