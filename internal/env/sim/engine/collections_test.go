package engine_test

import "maps"

// collections are sequences of commands on lists, sets and sorted sets, and on several keys at
// once, in the form of tables.
var collections = map[string]string{
	"lists grow and shrink at both ends": `
		RPUSH l a b c
		LPUSH l z
		LRANGE l 0 -1
		LLEN l
		LPOP l
		RPOP l 2
		LPOP l 5
		LPOP l
		LPOP l 2
		EXISTS l
		LLEN l
		RPUSHX l a
		LPUSHX l a
		RPUSH l a
		RPUSHX l b
		LPUSHX l 0
		LRANGE l 0 -1
		TYPE l
		LPOP l -1
		LPOP l x
		LPOP l 0
		LPOP l 1 2
		RPUSH l`,
	"parts of a list": `
		RPUSH l a b c a b a
		LRANGE l 1 2
		LRANGE l -2 -1
		LRANGE l 4 99
		LRANGE l 9 10
		LRANGE l x 1
		LRANGE none 0 -1
		LINDEX l 0
		LINDEX l -1
		LINDEX l 9
		LINDEX l x
		LINDEX none 0
		LREM l 2 a
		LRANGE l 0 -1
		LREM l -1 b
		LRANGE l 0 -1
		LREM l 0 a
		LREM l 0 none
		LREM none 0 a
		LREM l x a
		LTRIM l 0 0
		LRANGE l 0 -1
		LTRIM l 5 9
		EXISTS l
		LTRIM none 0 1`,
	"from list to list": `
		RPUSH l a b c
		RPOPLPUSH l m
		RPOPLPUSH l l
		LRANGE l 0 -1
		LRANGE m 0 -1
		LMOVE l m LEFT RIGHT
		LMOVE l m right left
		EXISTS l
		LRANGE m 0 -1
		RPOPLPUSH l m
		LMOVE m l UP LEFT
		SET s v
		RPOPLPUSH m s
		LMOVE s m LEFT LEFT
		LRANGE m 0 -1`,
	"a list has a lease": `
		RPUSH l a b
		PEXPIRE l 100
		LPOP l
		PTTL l
		RPUSH l c
		PTTL l
		+101
		LLEN l
		RPUSH l d
		PTTL l`,
	"sets": `
		SADD s a b a
		SADD s a c
		SCARD s
		SISMEMBER s a
		SISMEMBER s z
		SISMEMBER none a
		SREM s b c z
		SMEMBERS s
		TYPE s
		SREM s a
		EXISTS s
		SCARD s
		SMEMBERS s
		SREM s a
		SADD s`,
	"sorted sets": `
		ZADD z 2 b 1 a 2 a2
		ZADD z 3 b
		ZADD z CH 4 b 4 b 1 c
		ZCARD z
		ZSCORE z b
		ZSCORE z none
		ZSCORE none a
		ZRANK z b
		ZRANK z none
		ZRANGE z 0 -1
		ZRANGE z 0 0 WITHSCORES
		ZRANGE z -1 -1
		ZRANGEBYSCORE z 1 2
		ZRANGEBYSCORE z (1 +inf WITHSCORES
		ZRANGEBYSCORE z -inf (1
		ZRANGEBYSCORE z x 1
		ZCOUNT z 1 (4
		ZREM z a none
		ZREMRANGEBYSCORE z -inf 2
		ZRANGE z 0 -1 WITHSCORES
		ZREMRANGEBYSCORE z 0 99
		EXISTS z
		ZREMRANGEBYSCORE z 0 99
		TYPE z`,
	"options of ZADD": `
		ZADD z NX 1 a
		ZADD z NX 2 a
		ZADD z XX 3 a
		ZADD z XX 3 b
		ZADD z GT 2 a
		ZADD z GT CH 9 a
		ZADD z LT 1 a
		ZADD z LT 8 c
		ZADD z INCR 5 a
		ZADD z NX INCR 5 a
		ZADD z XX INCR 5 none
		ZADD z INCR 1 a 2 b
		ZADD z NX XX 1 a
		ZADD z GT LT 1 a
		ZADD z NX GT 1 a
		ZADD z 1
		ZADD z 1 a 2
		ZADD z x a
		ZADD z 1.5 f
		ZINCRBY z 2 f
		ZINCRBY z 1 new
		ZINCRBY z x new
		ZRANGE z 0 -1 WITHSCORES
		ZADD none XX 1 a
		EXISTS none`,
	"scores of time": `
		ZADD z 1767225600000 a 1767225600123.5 b
		ZSCORE z a
		ZSCORE z b
		ZREMRANGEBYSCORE z 0 1767225600000
		ZRANGE z 0 -1`,
	"a key of another kind": `
		SET s v
		RPUSH l a
		SADD set a
		ZADD z 1 a
		HSET h f v
		LPUSH s a
		LPOP z
		LLEN h
		LRANGE s 0 -1
		SADD l a
		SISMEMBER z a
		ZADD set 1 a
		ZSCORE h f
		HGET l f
		HSET z f v
		GET l
		GETSET set x
		INCR z
		APPEND l x
		STRLEN set
		SET l now-text
		GET l
		SETNX set x
		DEL z
		TYPE h`,
	"several keys at once": `
		MSET a 1 b 2
		MGET a none b
		MSETNX b 3 c 4
		MGET b c
		MSETNX c 4 d 5
		MGET c d
		MSET a
		MSETNX a 1 b
		RPUSH l x
		MGET l a
		MSET l now-text
		GET l
		TOUCH a none b
		DBSIZE
		APPEND a 23
		APPEND fresh 1
		GET a`,
	"names change": `
		SET a v PX 100
		RENAME a b
		PTTL b
		EXISTS a
		RENAME none b
		RENAMENX none b
		SET c w
		RENAMENX b c
		RENAMENX b d
		RENAME d c
		GET c
		PTTL c
		RENAME c c
		RENAMENX c c`,
	"hashes of several fields": `
		HMSET h a 1 b 2
		HMGET h a none b
		HMGET none a
		HMSET h a
		SET s v
		HMSET s a 1
		HMGET s a`,
	"scripts of semaphores": `
		EVAL "return redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1])" 1 z 1767225600000
		EVAL "if redis.call('zcard', KEYS[1]) < 1 then return 1 end" 1 z
		EVAL "return redis.call('zadd', KEYS[1], ARGV[1] + 100, ARGV[2])" 1 z 1767225600000 a
		EVAL "return redis.call('zscore', KEYS[1], ARGV[1])" 1 z a
		EVAL "return {redis.call('lpush', KEYS[1], 'a', 'b'), redis.call('lrange', KEYS[1], 0, -1)}" 1 l
		EVAL "return redis.call('lindex', KEYS[1], 0)" 1 l
		MULTI
		RPUSH l c
		ZCARD z
		EXEC`,
}

func init() { maps.Copy(tables, collections) }
