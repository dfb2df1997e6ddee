package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// watchedClient is a client of a watched Redis with one connection.
type watchedClient struct {
	t *testing.T
	*redis.Conn
	pool *redis.Client
}

func newWatchedClient(t *testing.T, addr string) watchedClient {
	pool := patientClient(addr)
	return watchedClient{t, pool.Conn(), pool}
}

// patientClient sends each command once, and waits for its reply as long as a machine stalls.
func patientClient(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true, Protocol: 2,
		MaxRetries: -1, DialTimeout: time.Minute, ReadTimeout: -1, WriteTimeout: -1})
}

func (c watchedClient) leave() {
	_ = c.Conn.Close()
	_ = c.pool.Close()
}

func (c watchedClient) do(args ...any) {
	if err := c.Do(context.Background(), args...).Err(); err != nil && !errors.Is(err, redis.Nil) {
		c.t.Errorf("%v: %v", args, err)
	}
}

// lists returns how often the connections of the server were listed.
func (c watchedClient) lists() (n int) {
	_, rest, _ := strings.Cut(c.Info(context.Background(), "commandstats").Val(),
		"cmdstat_client|list:calls=")
	_, _ = fmt.Sscan(strings.Split(rest, ",")[0], &n)
	return n
}

// The scripts of locks, as libraries have them.
const (
	compareAndDelete = `if redis.call("get", KEYS[1]) == ARGV[1] then
return redis.call("del", KEYS[1]) end return 0`
	compareAndExtend = `if redis.call("get", KEYS[1]) == ARGV[1] then
return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`
	onlyDelete = `redis.call("del", KEYS[1]) return ARGV[1]`
	latched    = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return nil end
redis.call("del", KEYS[1]) redis.call("set", KEYS[2], 1, "px", 1000) return 1`
	enterHash = `if redis.call("exists", KEYS[1]) == 0 or
redis.call("hexists", KEYS[1], ARGV[2]) == 1 then redis.call("hincrby", KEYS[1], ARGV[2], 1)
redis.call("pexpire", KEYS[1], ARGV[1]) return nil end return redis.call("pttl", KEYS[1])`
	leaveHash = `if redis.call("hexists", KEYS[1], ARGV[1]) == 0 then return nil end
if redis.call("hincrby", KEYS[1], ARGV[1], -1) > 0 then return 0 end
return redis.call("del", KEYS[1])`
	enterForEver = `return redis.call("hsetnx", KEYS[1], ARGV[1], 1)`
)

const (
	shortLease = 60     // ms, it ends in the test
	longLease  = 600000 // ms, it does not
)

func outliveShortLease() { time.Sleep(2 * shortLease * time.Millisecond) }

// plantedDefect is what two clients, a and b, do with a key, and the events that watch must report.
type plantedDefect struct {
	do func(k string, a, b watchedClient)
	// each event with the verbs of its witness
	want []string
}

// plantedByValue are defects that the values of the lock show, through any pool of connections.
var plantedByValue = map[string]plantedDefect{
	"late release": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	}, []string{"overrun: SET EVAL"}},
	"late release over another connection": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		b.do("EVAL", compareAndDelete, 1, k, k+"-a")
	}, []string{"overrun: SET EVAL"}},
	"late release, and another is inside": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
		b.do("EVAL", compareAndDelete, 1, k, k+"-b")
	}, []string{"overrun: SET SET EVAL"}},
	"late renewal": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("EVAL", compareAndExtend, 1, k, k+"-a", shortLease)
		outliveShortLease()
		a.do("EVAL", compareAndExtend, 1, k, k+"-a", shortLease)
	}, []string{"overrun: SET EVAL"}},
	"late renewal by SET XX": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		a.do("SET", k, k+"-a", "XX", "PX", longLease)
	}, []string{"overrun: SET SET"}},
	"late release of a hash with a counter": {func(k string, a, b watchedClient) {
		a.do("EVAL", enterHash, 1, k, longLease, k+"-a")
		a.do("EVAL", leaveHash, 1, k, k+"-a")
		b.do("EVAL", enterHash, 1, k, shortLease, k+"-b")
		outliveShortLease()
		b.do("EVAL", leaveHash, 1, k, k+"-b")
	}, []string{"overrun: EVAL EVAL"}},
	"late release that also opens a latch": {func(k string, a, b watchedClient) {
		for _, lease := range []int{longLease, shortLease} {
			v := fmt.Sprint(k, "-", lease)
			a.do("SET", k, v, "NX", "PX", lease)
			if lease == shortLease {
				outliveShortLease()
			}
			a.do("EVAL", latched, 2, k, k+":latch", v)
		}
	}, []string{"overrun: SET EVAL"}},
	"late release of a lock by SETNX and PEXPIRE": {func(k string, a, b watchedClient) {
		a.do("SETNX", k, k+"-a")
		a.do("PEXPIRE", k, shortLease)
		outliveShortLease()
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	}, []string{"overrun: SETNX EVAL"}},
	"deletes the next holder's key in a script": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		a.do("EVAL", onlyDelete, 1, k, k+"-a")
	}, []string{"foreign-delete: SET SET EVAL", "overrun: SET SET EVAL"}},
	"writes over the next holder's key": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		a.do("SET", k, k+"-a", "XX", "PX", longLease)
	}, []string{"foreign-delete: SET SET SET", "overrun: SET SET SET"}},
	"SETNX without a lease": {func(k string, a, b watchedClient) {
		a.do("SETNX", k, k+"-a")
	}, []string{"no-lease: SETNX"}},
	"SET NX without a lease": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX")
	}, []string{"no-lease: SET"}},
	"a script without a lease": {func(k string, a, b watchedClient) {
		a.do("EVAL", enterForEver, 1, k, k+"-a")
	}, []string{"no-lease: EVAL"}},
	"the owner writes its key again, without a lease": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("SET", k, k+"-a", "XX")
	}, []string{"no-lease: SET SET"}},
	"PERSIST takes the lease away": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("PERSIST", k)
	}, []string{"no-lease: SET PERSIST"}},
	"a starved waiter": {func(k string, a, b watchedClient) {
		for i := range 25 {
			v := fmt.Sprint(k, "-", i)
			a.do("SET", k, v, "NX", "PX", longLease)
			b.do("SET", k, k+"-b", "NX", "PX", longLease)
			a.do("EVAL", compareAndDelete, 1, k, v)
		}
	}, []string{"starving: SET"}},
	"an orphan": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.leave()
		const lists = 4 // of two watches
		for from := b.lists(); b.lists() < from+lists; time.Sleep(500 * time.Millisecond) {
			b.do("SET", k, k+"-b", "NX", "PX", longLease)
		}
		b.do("PEXPIRE", k, shortLease) // so that the test need not wait for the end of a long one
		outliveShortLease()
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
	}, []string{"orphan: SET"}},
	"FLUSHDB while it is held": {func(k string, a, b watchedClient) {
		a.do("SELECT", 1)
		a.do("DEL", k)
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("FLUSHDB")
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	}, []string{"vanished: SET FLUSHDB"}},
	"SWAPDB while it is held": {func(k string, a, b watchedClient) {
		a.do("SELECT", 2)
		a.do("DEL", k)
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("SWAPDB", 2, 3)
	}, []string{"vanished: SET SWAPDB"}},
}

// plantedByConnection are defects that show only if each client has a connection of its own.
var plantedByConnection = map[string]plantedDefect{
	"DEL by an operator": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("DEL", k)
	}, []string{"foreign-delete: SET DEL"}},
	"GETDEL by an operator": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("GETDEL", k)
	}, []string{"foreign-delete: SET GETDEL"}},
	"DEL in another's transaction": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("MULTI")
		b.do("DEL", k)
		b.do("EXEC")
	}, []string{"foreign-delete: SET DEL"}},
	"a script of another deletes it": {func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("EVAL", onlyDelete, 1, k, "clean-up")
	}, []string{"foreign-delete: SET EVAL"}},
	"late DEL": {func(k string, a, b watchedClient) {
		a.do("SET", k, 1, "NX", "PX", shortLease)
		outliveShortLease()
		a.do("DEL", k)
	}, []string{"overrun: SET DEL"}},
	"late UNLINK of the next holder's key": {func(k string, a, b watchedClient) {
		a.do("SET", k, 1, "NX", "PX", shortLease)
		outliveShortLease()
		b.do("SETNX", k, 1)
		b.do("PEXPIRE", k, longLease)
		a.do("UNLINK", k)
	}, []string{"foreign-delete: SET SETNX UNLINK", "overrun: SET SETNX UNLINK"}},
	"late PEXPIRE": {func(k string, a, b watchedClient) {
		a.do("SET", k, 1, "NX", "PX", shortLease)
		outliveShortLease()
		a.do("PEXPIRE", k, longLease)
	}, []string{"overrun: SET PEXPIRE"}},
}

// withoutDefect are twins of the defects. Watch must report none of them.
var withoutDefect = map[string]func(k string, a, b watchedClient){
	"a cycle": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		a.do("EVAL", compareAndExtend, 1, k, k+"-a", longLease)
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		b.do("EVAL", compareAndDelete, 1, k, k+"-b")
	},
	"a client that crashed": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", shortLease)
		outliveShortLease()
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		b.do("EVAL", compareAndDelete, 1, k, k+"-b")
	},
	"a release that is sent twice": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	},
	"a refused client cleans up": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("SET", k, k+"-b", "NX", "PX", longLease)
		b.do("EVAL", compareAndDelete, 1, k, k+"-b")
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	},
	"DEL by the owner": func(k string, a, b watchedClient) {
		a.do("SET", k, 1, "NX", "PX", longLease)
		a.do("DEL", k)
		b.do("SETNX", k, 1)
		b.do("PEXPIRE", k, longLease)
		b.do("UNLINK", k)
	},
	"a renewal keeps the lock": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		a.do("EVAL", compareAndExtend, 1, k, k+"-a", longLease)
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	},
	"a hash that is entered again": func(k string, a, b watchedClient) {
		a.do("EVAL", enterHash, 1, k, longLease, k+"-a")
		a.do("EVAL", enterHash, 1, k, longLease, k+"-a")
		b.do("EVAL", enterHash, 1, k, longLease, k+"-b")
		a.do("EVAL", leaveHash, 1, k, k+"-a")
		a.do("EVAL", leaveHash, 1, k, k+"-a")
	},
	"a transaction": func(k string, a, b watchedClient) {
		a.do("WATCH", k)
		a.do("MULTI")
		a.do("SET", k, "v", "PX", longLease)
		a.do("EXEC")
		a.do("DEL", k)
	},
	"SWAPDB of other databases": func(k string, a, b watchedClient) {
		a.do("SET", k, k+"-a", "NX", "PX", longLease)
		b.do("SWAPDB", 8, 9)
		b.do("SELECT", 8)
		b.do("FLUSHDB")
		a.do("EVAL", compareAndDelete, 1, k, k+"-a")
	},
	"data in the shape of a counter": func(k string, a, b watchedClient) {
		a.do("INCR", k)
		b.do("INCR", k)
		b.do("DEL", k)
	},
}
