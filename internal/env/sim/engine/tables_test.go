package engine_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// tables are sequences of commands, one a line: words in the manner of a shell, "+N" and "-N" move
// the clock by N ms, "2>" is a second connection. Each has a name that says what it is about.
var tables = map[string]string{
	"a key lives at the very millisecond of its end": `
		SET k v PX 100
		+100
		GET k
		PTTL k
		TTL k
		EXISTS k
		SETNX k w
		SET k w NX
		+1
		GET k
		PTTL k
		SETNX k w
		PTTL k`,
	"GETSET takes the lease away": `
		SET k v PX 100
		+100
		GETSET k w
		PTTL k
		GETSET new w
		PTTL new`,
	"TTL rounds": `
		SET k v EX 1
		TTL k
		+499
		TTL k
		+1
		TTL k
		+1
		TTL k
		+498
		TTL k
		PTTL k
		PEXPIRETIME k
		EXPIRETIME k`,
	"codes of TTL": "TTL none\nPTTL none\nSET k v\nTTL k\nPTTL k\nEXPIRETIME k\nPERSIST k\n" +
		"EXPIRE k 10\nPERSIST k\nPERSIST k",
	"the server's clock goes back": `
		SET k v PX 1000
		-500
		PTTL k
		+1400
		PTTL k
		+101
		PTTL k`,
	"options of SET": `
		SET k v EX 10 PX 10
		SET k v EX 0
		SET k v PX -1
		SET k v PX abc
		SET k v PX 01
		SET k v NX XX
		SET k v FOO
		SET k v EX
		SET k v px 10 nx
		SET k v KEEPTTL EX 1
		SET k v EX 1 KEEPTTL
		SET k v EX 1 EX 2
		TTL k
		SET k v PX 9223372036854775807
		SET k v EX 9223372036854775807
		SET k v EXAT 1
		GET k
		SET k v PXAT 99999999999999
		PTTL k
		SET k w KEEPTTL
		PTTL k
		SET k x GET
		PTTL k
		SET q z XX
		SET q z NX GET
		SET q y NX GET
		SET q y XX GET NX
		SET k
		SETEX k 0 v
		SETEX k 10 v
		PSETEX k x v
		PSETEX k 10 v
		PTTL k`,
	"EXPIRE": `
		EXPIRE k 10
		SET k v
		EXPIRE k abc
		EXPIRE k 10 FOO
		EXPIRE k 10 NX XX
		EXPIRE k 10 GT LT
		EXPIRE k 10 GT
		EXPIRE k 10 LT
		EXPIRE k 20 NX
		EXPIRE k 20 GT
		EXPIRE k 10 LT
		EXPIRE k 9223372036854775807
		PEXPIRE k 9223372036854775807
		PEXPIREAT k 9223372036854775807
		TTL k
		EXPIRE k 0
		EXISTS k
		SET k v
		PEXPIRE k -1
		EXISTS k
		SET k v
		EXPIREAT k 1
		GET k`,
	"keys of other types": `
		HSET h f v
		GET h
		SETNX h v
		GETSET h v
		GETDEL h
		INCR h
		SET h v GET
		STRLEN h
		GETRANGE h 0 1
		TYPE h
		SET s v
		HGET s f
		HSET s f v
		HEXISTS s f
		HINCRBY s f 1
		HDEL s f
		HLEN s
		HGETALL s
		TYPE s
		TYPE none
		SET h v
		TYPE h`,
	"hashes": `
		HINCRBY h a 1
		HINCRBY h a -1
		HINCRBY h a x
		HSET h t text
		HINCRBY h t 1
		HINCRBY h a 9223372036854775807
		HINCRBY h a 1
		HSET h a 1 b 2 c
		HSET h a 1 b 2 a 3
		HGETALL h
		HKEYS h
		HVALS h
		HSETNX h b 9
		HSETNX h z 9
		PEXPIRE h 100
		HINCRBY h b 1
		PTTL h
		HDEL h a b z t
		EXISTS h
		HDEL h a
		HGET h a
		HGETALL h`,
	"numbers": `
		INCR n
		INCRBY n 10
		DECRBY n -5
		DECR n
		INCRBY n 1.5
		SET n 9223372036854775807
		INCR n
		DECRBY n -9223372036854775808
		SET n -1
		DECRBY n 9223372036854775807
		DECR n
		SET n 01
		INCR n
		SET n " 1"
		INCR n
		SET n 7 EX 10
		INCR n
		TTL n`,
	"strings": `
		SET k hello
		STRLEN k
		STRLEN none
		GETRANGE k 1 3
		GETRANGE k -3 -1
		GETRANGE k -1 -3
		GETRANGE k 0 100
		GETRANGE k 9 100
		GETRANGE none 0 1
		GETRANGE k a b
		GETDEL k
		GETDEL k
		DEL a b
		SET a 1
		DEL a a
		SET a 1
		EXISTS a a b
		UNLINK a
		ECHO x
		FLUSHALL now
		FLUSHALL ASYNC
		TIME`,
	"unknown commands, and arguments that are too many or too few": `
		FOO
		FOO bar baz
		foo "with space" ` + strings.Repeat("x", 150) + `
		GET
		GET a b
		SETNX k
		hset k f
		EVAL
		SCRIPT
		SCRIPT FOO
		SCRIPT LOAD
		SCRIPT EXISTS
		SCRIPT KILL
		CLIENT FOO
		CLIENT SETNAME x
		CLIENT GETNAME
		CLIENT ID x
		CLIENT SETINFO lib-name x
		PING a b
		PING a
		PING
		HELLO 9
		HELLO x
		SELECT x
		SELECT 0
		WAIT x 1
		WAIT 1 x
		WAIT 1 -1
		WAIT 0 0`,
	"scripts": `
		EVALSHA 0000000000000000000000000000000000000000 0
		EVALSHA short 0
		EVALSHA short x
		EVALSHA 0000000000000000000000000000000000000000 x
		EVAL "return 1 + nil" 0 SKIP
		EVAL "\nlocal a = 1\nerror('mine')" 0
		EVAL "\nlocal function f() return redis.call('foo') end\n\nreturn f()" 0
		EVAL "return redis.pcall('foo').line" 0
		EVAL "return 1" x
		EVAL "return 1" 1
		EVAL "return 1" -1
		EVAL "return {1,2,{3,'four'},nil,5}" 0
		EVAL "return {1.9,-1.9,true,false}" 0
		EVAL "return redis.status_reply('FINE')" 0
		EVAL "return redis.error_reply('MY error')" 0
		EVAL "return redis.error_reply('single')" 0
		EVAL "return redis.error_reply('-MY error')" 0
		EVAL "return {ok='yes'}" 0
		EVAL "return {err='BAD thing'}" 0
		EVAL "return redis.call('get','none')" 0
		EVAL "return redis.call('get','none') == false" 0
		EVAL "return redis.call('set','k','v')" 0
		EVAL "return redis.call('set','k','v').ok" 0
		EVAL "return redis.call('hget','k','f')" 0
		EVAL "return redis.pcall('hget','k','f')" 0
		EVAL "return redis.pcall('hget','k','f').err" 0
		EVAL "return redis.call('foo')" 0
		EVAL "return redis.call('get')" 0
		EVAL "return redis.call()" 0
		EVAL "return redis.call({})" 0
		EVAL "return redis.call('eval','return 1',0)" 0
		EVAL "return redis.call('subscribe','x')" 0
		EVAL "redis.call('set',KEYS[1],ARGV[1]) return redis.call('get',KEYS[1])" 1 k v
		EVAL "return #KEYS + #ARGV * 10" 2 a b c
		EVAL "return KEYS[9]" 0
		EVAL "redis.call('set','n',3) return redis.call('get','n')" 0
		EVAL "redis.call('set','n',3.5) return redis.call('get','n')" 0
		EVAL "redis.call('set','n',1767225600123456) return redis.call('get','n')" 0
		EVAL "redis.call('set','n',1e20) return redis.call('get','n')" 0
		EVAL "return tostring(1767225600123456)" 0
		EVAL "return tostring(0.1)" 0
		EVAL "return tostring(12345678)" 0
		EVAL "return tostring(nil)" 0
		EVAL "return tonumber('12')+1" 0
		EVAL "return redis.call('time')[1]" 0
		EVAL "return redis.sha1hex('')" 0
		EVAL "return redis.call('hincrby','h','f',1)" 0
		EVAL "return redis.call('hgetall','h')" 0
		EVAL "local t={} for i=1,3 do t[i]=i*i end return t" 0
		EVAL "return foo" 0
		EVAL "foo = 1" 0
		EVAL "error({err='MY own'})" 0
		EVAL "return pcall(redis.call,'hget','k','f')" 0
		EVAL "\nreturn redis.call('hget','k','f')" 0
		EVAL "return math.random()" 0 SKIP
		SCRIPT LOAD "return 7"
		SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db b7a1c3e5cbbcdd4a4e84f3f3d9c2d44a52aa8eeb
		EVAL "return 8" 0
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0
		EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0
		SCRIPT FLUSH NOW
		SCRIPT FLUSH
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0`,
	"transactions": `
		SET k v
		WATCH k
		MULTI
		MULTI
		WATCH k
		SET k w
		GET k
		UNWATCH
		PING
		HGET k f
		EXEC
		EXEC
		DISCARD
		MULTI
		FOO
		SET k x
		EXEC
		MULTI
		GET
		EXEC
		MULTI
		MULTI x
		EXEC
		MULTI
		EXEC x
		EXEC
		MULTI
		EVAL "return redis.error_reply('mine')" 0
		EVAL "return redis.call('get', 'k')" 0
		EXEC
		MULTI
		SET k discarded
		DISCARD
		GET k
		WATCH
		EVAL "return redis.call('multi')" 0
		EVAL "return redis.call('watch', 'k')" 0
		SUBSCRIBE c
		MULTI
		WATCH k
		EXEC
		UNSUBSCRIBE`,
	"a watched key": `
		SET k v
		WATCH k
		2> SET k w
		MULTI
		SET k mine
		EXEC
		GET k
		MULTI
		SET k mine
		EXEC
		WATCH k
		2> GET k
		MULTI
		GET k
		EXEC
		WATCH k none
		2> SET none v
		2> DEL none
		MULTI
		EXEC
		WATCH k
		2> SET k w
		UNWATCH
		MULTI
		EXEC
		WATCH k
		2> SET k w
		MULTI
		DISCARD
		MULTI
		EXEC
		WATCH k
		SET k own
		MULTI
		EXEC
		WATCH k none
		2> DEL none
		2> PERSIST k
		2> HDEL none f
		MULTI
		EXEC
		WATCH k
		2> EXPIRE k 100
		MULTI
		EXEC
		HSET h f v
		WATCH h
		2> HSET h f v
		MULTI
		EXEC
		WATCH k
		2> FLUSHALL
		MULTI
		EXEC
		WATCH k
		2> FLUSHALL
		MULTI
		EXEC
		WATCH k k
		2> EVAL "return redis.call('set', 'k', 'w')" 0
		MULTI
		FOO
		EXEC
		MULTI
		EXEC`,
	"a watched key whose lease ends": `
		SET k v PX 100
		WATCH k
		+101
		MULTI
		EXEC
		SET k v PX 100
		WATCH k
		+101
		2> GET k
		MULTI
		EXEC
		SET k v PX 100
		+101
		WATCH k
		MULTI
		EXEC
		SET k v PX 100
		+101
		WATCH k
		2> GET k
		MULTI
		EXEC
		SET k v PX 100
		+101
		WATCH k
		2> SET k w
		MULTI
		EXEC
		SET k v PX 100
		WATCH k
		+100
		MULTI
		EXEC`,
	"channels": `
		PUBLISH c nobody
		SUBSCRIBE c d
		2> PUBLISH c hello
		2> PUBLISH d hello
		2> PUBLISH e hello
		GET k
		PING
		PING x
		SUBSCRIBE c
		UNSUBSCRIBE c
		2> PUBLISH c hello
		2> PUBSUB NUMSUB c d d e
		2> PUBSUB NUMSUB
		2> PUBSUB NONSENSE
		UNSUBSCRIBE
		UNSUBSCRIBE
		2> PUBSUB NUMSUB d
		GET k`,
	"names": `
		KEYS *
		SET lock:1 a
		HSET lock:2 f v
		SET other b
		KEYS lock:1
		KEYS o*er
		KEYS *r
		KEYS nothing*`,
}

func TestTablesAgainstRedis(t *testing.T) {
	b := startBoth(t)
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			b.t = t
			b.do(b.conns[0], "FLUSHALL")
			b.do(b.conns[0], "SCRIPT", "FLUSH")
			p, q := b.dial(), b.dial()
			for line := range strings.Lines(table) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, "SKIP") {
					b.line(p, q, line)
				}
			}
		})
	}
}

// line executes one line of a table and compares.
func (b *both) line(p, q *pair, line string) {
	if line[0] == '+' || line[0] == '-' {
		ms, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			b.t.Fatal(err)
		}
		b.at(b.now + ms*1000)
		return
	}
	from := p
	if rest, second := strings.CutPrefix(line, "2> "); second {
		from, line = q, rest
	}
	args := words(line)
	real, ours := b.do(from, args...)
	for n := replies(b.t, ours) - 1; n > 0; n-- {
		real += from.read(b.t) // one reply for each channel, and what comes before or after a reply
	}
	if args[0] == "WAIT" && ours == "" {
		return // blocked: the environment answers
	}
	if args[0] == "HELLO" { // the ids differ by the connections that ask whether it is ready
		real, ours = id.ReplaceAllString(real, ""), id.ReplaceAllString(ours, "")
	}
	if real != ours {
		b.t.Errorf("%s\nredis-server: %q\nengine:       %q", line, real, ours)
	}
	for _, of := range []*pair{p, q} {
		for _, m := range of.pushed {
			if got := of.read(b.t); got != m {
				b.t.Errorf("%s: redis-server tells the listener %q, the engine %q", line, got, m)
			}
		}
		of.pushed = nil
		if n := of.r.Buffered(); n > 0 {
			b.t.Errorf("%s: redis-server tells %d bytes more", line, n)
		}
	}
}

// id is what HELLO says of the connection.
var id = regexp.MustCompile(`id\r\n:[0-9]+`)

// replies counts the values in a reply.
func replies(t *testing.T, reply string) (n int) {
	for ; reply != ""; n++ {
		size, err := resp.Size([]byte(reply))
		if size == 0 {
			t.Fatalf("%q is no reply: %v", reply, err)
		}
		reply = reply[size:]
	}
	return n
}

// words splits a line at spaces; a word in double quotes may have some, and \n is a line break in
// it.
func words(line string) (ws []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			end := strings.IndexByte(line[1:], '"') + 1
			ws = append(ws, strings.ReplaceAll(line[1:end], `\n`, "\n"))
			line = line[end+1:]
			continue
		}
		w, rest, _ := strings.Cut(line, " ")
		ws, line = append(ws, w), rest
	}
	return ws
}
