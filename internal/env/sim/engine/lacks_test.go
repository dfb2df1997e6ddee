package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// TestRedis7 wants the list of what redis-server has to be that of the server here.
func TestRedis7(t *testing.T) {
	b := startBoth(t)
	p := b.conns[0]
	fmt.Fprint(p.conn, "*2\r\n$7\r\nCOMMAND\r\n$4\r\nLIST\r\n")
	var names []string
	for line := range strings.Lines(p.read(t)) {
		if line = strings.TrimSpace(line); line[0] != '*' && line[0] != '$' {
			names = append(names, line)
		}
	}
	slices.Sort(names)
	have := strings.Fields(engine.Redis7)
	if !slices.Equal(names, have) {
		t.Errorf("redis-server has %d commands, redis7.txt names %d:\n%s", len(names), len(have),
			strings.Join(names, "\n"))
	}
}

// TestWhatIsLackingIsNamed: a command that redis-server has, too, says so; one that Redis lacks is
// an ordinary error.
func TestWhatIsLackingIsNamed(t *testing.T) {
	for _, c := range []struct{ line, lacks string }{
		{"GEOADD g 1 1 a", "GEOADD"},
		{`EVAL "return redis.call('geoadd', 'g', 1, 1, 'a')" 0`, "GEOADD"},
		{"EVAL \"return redis.pcall('xadd', 's', '*', 'f', 'v')\" 0", "XADD"},
		{`EVAL "return cjson.encode(ARGV)" 0`, "CJSON IN SCRIPTS"},
		{`EVAL "return math.random(1, 6)" 0`, "MATH.RANDOM IN SCRIPTS"},
		{`EVAL "return missing" 0`, ""},
		{"BLMPOP 1 1 l LEFT", "BLMPOP"},
		{"SELECT 1", "SELECT OF ANOTHER DATABASE"},
		{"SELECT 16", ""},
		{"CLIENT TRACKING ON REDIRECT 1", "CLIENT TRACKING WITH REDIRECT"},
		{"ZRANGE z 0 -1 REV", "ZRANGE WITH OPTIONS BUT WITHSCORES"},
		{"CLIENT LIST", "CLIENT LIST"},
		{"SCRIPT DEBUG YES", "SCRIPT DEBUG"},
		{"PUBSUB CHANNELS", "PUBSUB CHANNELS"},
		{"INFO memory", "INFO MEMORY"},
		{"REPLICAOF 127.0.0.1 1", "REPLICAOF BUT FOR NO ONE"},
		{"FOO", ""},
		{"CLIENT FOO", ""},
		{"CLIENT SETINFO lib-name x", ""}, // of Redis 7.2
		{"GET", ""},
	} {
		e := engine.New()
		reply := e.Do(begin, e.Open(nil), words(c.line))
		if e.Lacks != c.lacks || reply[0] != '-' {
			t.Errorf("%s: lacks %q, want %q; reply %q", c.line, e.Lacks, c.lacks, reply)
		}
	}
	e := engine.New()
	s := e.Open(nil)
	e.Do(begin, s, []string{"MULTI"})
	if e.Do(begin, s, []string{"WAIT", "1", "0"}); e.Lacks != "WAIT IN A TRANSACTION" {
		t.Errorf("WAIT in a transaction: lacks %q", e.Lacks)
	}
}
