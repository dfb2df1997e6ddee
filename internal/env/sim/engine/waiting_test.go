package engine_test

import "maps"

// waiting are sequences of commands that wait, in the form of tables: the reply of one that waits
// comes when the other connection has sent what it waits for.
var waiting = map[string]string{
	"a list that is there": `
		RPUSH l a b c d
		BLPOP l 1
		BRPOP none l 0
		BRPOPLPUSH l m 0
		BLMOVE l m LEFT RIGHT 1.5
		LRANGE m 0 -1
		EXISTS l`,
	"commands that wait, in their order": `
		BLPOP l m 0
		2> RPUSH m x y
		2> LRANGE m 0 -1
		BRPOP l 0
		2> RPUSH l x y
		BLMOVE s t RIGHT LEFT 0
		2> LPUSH s a
		2> LRANGE t 0 -1
		BRPOPLPUSH s t 0
		2> LPUSH s b
		2> LRANGE t 0 -1`,
	"a wait ends with the transaction or the script": `
		BLPOP l 0
		2> MULTI
		2> RPUSH l a
		2> RPUSH l b
		2> LPOP l
		2> EXEC
		BLPOP l 0
		2> EVAL "redis.call('rpush', KEYS[1], 'c') return redis.call('llen', KEYS[1])" 1 l
		BLPOP k 0
		2> SET k v
		2> DEL k
		2> RPUSH other x
		2> RENAME other k
		BLPOP k 0
		2> EVAL "redis.call('rpush', KEYS[1], 'c') redis.call('del', KEYS[1]) return 1" 1 k
		2> RPUSH k d`,
	"a wait for a list that is moved to": `
		BLPOP to 0
		2> RPUSH from a
		2> LMOVE from to LEFT LEFT
		BLPOP to 0
		2> RPUSH from b
		2> BRPOPLPUSH from to 0`,
	"the destination is of another kind": `
		SET s v
		BRPOPLPUSH l s 0
		2> RPUSH l x
		2> LRANGE l 0 -1`,
	"nothing waits in a transaction": `
		MULTI
		BLPOP l 0
		BRPOPLPUSH l m 0
		BLMOVE l m LEFT LEFT 0
		BZPOPMIN z 0
		EXEC
		EVAL "return redis.call('blpop', KEYS[1], 0)" 1 l
		EVAL "return redis.pcall('bzpopmin', KEYS[1], 0)" 1 l`,
	"words of commands that wait": `
		SET s v
		BLPOP s 0
		BLPOP l x
		BLPOP l -1
		BLPOP l
		BLPOP l s 1
		BLMOVE l m UP LEFT 0
		BLMOVE l m UP LEFT x
		BLMOVE s m LEFT LEFT 0
		BRPOPLPUSH s m 0
		BRPOPLPUSH l m x
		BZPOPMIN s 0
		BZPOPMAX z nan`,
	"sorted sets": `
		ZADD z 1 a 2 b 3 c 4 d
		ZPOPMIN z
		ZPOPMAX z 2
		ZPOPMIN z 0
		ZPOPMIN z x
		ZPOPMIN z 1 2
		ZPOPMIN none
		ZPOPMIN none 3
		ZPOPMAX z 9
		EXISTS z
		ZADD z 1 a 2 b
		BZPOPMIN z 0
		BZPOPMAX none z 0
		BZPOPMIN z 0
		2> ZADD z 5 x 1 y
		2> ZRANGE z 0 -1
		SET s v
		ZPOPMIN s`,
	"GETEX": `
		GETEX none
		SET k v
		GETEX k
		GETEX k PX 100
		PTTL k
		GETEX k
		PTTL k
		GETEX k PERSIST
		PTTL k
		GETEX k EX 0
		GETEX k PX x
		GETEX k PERSIST EX 1
		GETEX k NX
		GETEX k KEEPTTL
		GETEX none EX 0
		GETEX k EXAT 1
		EXISTS k
		HSET h f v
		GETEX h`,
	"names are scanned": `
		SCAN 0
		SET lock:1 v
		SCAN 0
		SCAN 0 MATCH lock:*
		SCAN 0 MATCH other:*
		SCAN 0 MATCH l?ck:[0-9] COUNT 100 TYPE string
		SCAN 0 TYPE hash
		SCAN x
		SCAN 0 COUNT 0
		SCAN 0 COUNT x
		SCAN 0 MATCH
		SCAN 0 FOO 1
		HSET h f v g w
		HSCAN h 0
		HSCAN h 0 MATCH g
		HSCAN none 0
		HSCAN lock:1 0
		HSCAN h x
		HSCAN h 0 TYPE hash
		ZADD z 2 b 1 a
		ZSCAN z 0 COUNT 1
		SADD s a
		SSCAN s 0
		SSCAN none 0`,
	"patterns of names": `
		SET lock:1 v
		KEYS lock:?
		KEYS lock:[^2-9]
		KEYS lock:[2-9]
		KEYS lock:[1
		KEYS lock:\1
		KEYS l*k*1
		KEYS [l]*
		KEYS [a-z]ock:[91]
		KEYS lock:1?
		KEYS ""`,
	"pattern subscriptions": `
		PSUBSCRIBE news.*
		2> PUBLISH news.x hello
		2> PUBLISH other hello
		2> PUBSUB NUMPAT
		SUBSCRIBE news.x
		2> PUBLISH news.x hello
		PING
		PSUBSCRIBE never*
		PUNSUBSCRIBE news.*
		2> PUBLISH news.x hello
		UNSUBSCRIBE
		PUNSUBSCRIBE
		PUNSUBSCRIBE
		2> PUBSUB NUMPAT
		GET k`,
	"RESP3": `
		HELLO 3
		HELLO 3 SETNAME me
		CLIENT GETNAME
		HELLO 4
		HELLO 3 AUTH nobody x
		HELLO 3 AUTH default x SETNAME you
		HELLO 3 SETNAME
		HELLO x
		GET none
		SET k v
		SET k v NX
		HSET h a 1 b 2
		HGETALL h
		HGETALL none
		HKEYS h
		HGET h none
		SADD s a
		SMEMBERS s
		SMEMBERS none
		ZADD z 1 a 2.5 b
		ZADD z INCR 1 a
		ZADD z XX INCR 1 none
		ZINCRBY z 1 a
		ZSCORE z b
		ZSCORE z none
		ZRANK z none
		ZRANGE z 0 -1 WITHSCORES
		ZRANGEBYSCORE z 0 9 WITHSCORES
		ZPOPMIN z
		ZPOPMAX z 1
		ZADD z 1 a
		BZPOPMIN z 0
		LPOP none
		LPOP none 2
		RPOPLPUSH none none
		MGET none k
		EVAL "return {false, true, redis.call('get', 'none'), 1}" 0
		EVAL "return redis.call('hgetall', 'h')" 0
		MULTI
		HGETALL h
		BLPOP none 0
		BLMOVE none none LEFT LEFT 0
		EXEC
		WATCH k
		2> SET k w
		MULTI
		EXEC
		SCAN 0 MATCH k
		SUBSCRIBE c
		GET k
		PING
		2> PUBLISH c hello
		PUBLISH c hello
		PSUBSCRIBE c*
		PUBLISH c hello
		UNSUBSCRIBE
		PUNSUBSCRIBE
		BLPOP l 0
		2> RPUSH l x
		HELLO 2
		HGETALL h`,
	"what was read is invalidated": `
		HELLO 3
		CLIENT TRACKING ON
		GET k
		2> SET k v
		2> SET k w
		GET k
		SET k x
		MGET k l
		2> MSET k 1 l 2
		GET k
		2> DEL k
		EXISTS k
		2> EVAL "redis.call('set', KEYS[1], 'y', 'px', 100) return 1" 1 k
		EVAL "return redis.call('get', KEYS[1])" 1 k
		+101
		2> GET k
		GET k
		2> FLUSHALL
		MULTI
		GET k
		SET k 1
		EXEC
		2> SET k 2
		CLIENT TRACKING OFF
		GET k
		2> SET k 3`,
	"own changes are left out": `
		HELLO 3
		CLIENT TRACKING ON NOLOOP
		GET k
		SET k v
		GET k
		2> SET k w`,
	"only what is asked for": `
		HELLO 3
		CLIENT CACHING YES
		CLIENT TRACKING ON OPTIN
		GET k
		2> SET k v
		CLIENT CACHING NO
		CLIENT CACHING YES
		GET k
		2> SET k v
		CLIENT CACHING YES
		MULTI
		GET k
		PTTL k
		EXEC
		2> SET k v
		GET k
		2> SET k v
		CLIENT TRACKING ON OPTOUT
		CLIENT TRACKING OFF
		CLIENT TRACKING ON OPTOUT
		CLIENT CACHING YES
		CLIENT CACHING NO
		GET k
		2> SET k w
		GET k
		2> SET k w`,
	"prefixes are broadcast": `
		HELLO 3
		CLIENT TRACKING ON BCAST PREFIX lock: PREFIX other: NOLOOP
		2> SET lock:1 v
		2> SET else v
		2> MSET lock:2 v lock:1 v other:1 v
		SET lock:1 v
		2> MULTI
		2> DEL lock:2
		2> DEL lock:1
		2> EXEC
		SET lock:1 v PX 100
		+101
		2> GET lock:1
		2> FLUSHALL
		CLIENT TRACKING ON
		CLIENT TRACKING ON BCAST PREFIX lock:1
		CLIENT TRACKING OFF
		CLIENT TRACKING ON BCAST PREFIX a PREFIX ab
		CLIENT TRACKING ON BCAST
		SET any v
		2> SET any v`,
	"words of CLIENT TRACKING": `
		CLIENT TRACKING
		CLIENT TRACKING MAYBE
		CLIENT TRACKING ON FOO
		CLIENT TRACKING ON PREFIX a
		CLIENT TRACKING ON BCAST OPTIN
		CLIENT TRACKING ON OPTIN OPTOUT
		CLIENT CACHING
		CLIENT CACHING YES
		CLIENT TRACKING ON OPTIN
		CLIENT CACHING MAYBE
		GET k
		2> SET k v
		CLIENT TRACKING OFF`,
}

func init() { maps.Copy(tables, waiting) }
