package impls_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// documents are the scripts as the source documents have them, with the line; strings that Java
// concatenates are put together. A file that deviates on purpose says how.
var documents = map[string]struct {
	source, text string
	deviates     []string // old, new, …
}{
	"setnx_expire_posted.lua": {source: "D004 line 45",
		text: `if redis.call('setnx', KEYS[1], KEYS[2]) == 1 then return redis.call('expire', ARGV[1], ARGV[2]) else return 0 end`},
	"setnx_expire.lua": {
		source: "D004 line 45", deviates: []string{"KEYS[2]", "ARGV[1]", "ARGV[1], ARGV[2]",
			"KEYS[1], ARGV[2]"},
		text: `if redis.call('setnx', KEYS[1], KEYS[2]) == 1 then return redis.call('expire', ARGV[1], ARGV[2]) else return 0 end`,
	},
	"release_posted.lua": {source: "D004 line 75",
		text: `if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1]) else return 0 end`},
	"release.lua": {
		source: "D004 line 75", deviates: []string{"KEYS[2]", "ARGV[1]"},
		text: `if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1]) else return 0 end`,
	},
	"extend.lua": {
		source: "D004 line 75, with PEXPIRE for DEL", deviates: []string{"KEYS[2]", "ARGV[1]",
			"'del', KEYS[1]", "'pexpire', KEYS[1], ARGV[2]"},
		text: `if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1]) else return 0 end`,
	},
	"redisson_acquire.lua": {source: "D001 lines 499–509",
		text: `if (redis.call('exists', KEYS[1]) == 0) then ` +
			`redis.call('hincrby', KEYS[1], ARGV[2], 1); ` + `redis.call('pexpire', KEYS[1], ARGV[1]); ` +
			`return nil; ` + `end; ` +
			`if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then ` +
			`redis.call('hincrby', KEYS[1], ARGV[2], 1); ` + `redis.call('pexpire', KEYS[1], ARGV[1]); ` +
			`return nil; ` + `end; ` +
			`return redis.call('pttl', KEYS[1]);`},
	"redisson_renew.lua": {source: "D001 lines 685–689",
		text: `if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then ` +
			`redis.call('pexpire', KEYS[1], ARGV[1]); ` + `return 1; ` + `end; ` + `return 0;`},
	"redisson_unlock.lua": {source: "D001 lines 736–748",
		text: `if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then ` + `return nil;` + `end; ` +
			`local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); ` +
			`if (counter > 0) then ` + `redis.call('pexpire', KEYS[1], ARGV[2]); ` + `return 0; ` +
			`else ` + `redis.call('del', KEYS[1]); ` + `redis.call('publish', KEYS[2], ARGV[1]); ` +
			`return 1; ` + `end; ` + `return nil;`},
	"redisson_spin_unlock.lua": {
		source: "D001 lines 736–748, without a message",
		deviates: []string{"redis.call('publish', KEYS[2], ARGV[1]); ", "", "ARGV[2]", "ARGV[1]",
			"ARGV[3]", "ARGV[2]", "end; return nil;", "end;"},
		text: `if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then ` + `return nil;` + `end; ` +
			`local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); ` +
			`if (counter > 0) then ` + `redis.call('pexpire', KEYS[1], ARGV[2]); ` + `return 0; ` +
			`else ` + `redis.call('del', KEYS[1]); ` + `redis.call('publish', KEYS[2], ARGV[1]); ` +
			`return 1; ` + `end; ` + `return nil;`,
	},
	"redisson_fenced_acquire.lua": {source: "RedissonFencedLock.tryLockInnerAsync, in no document"},
}

// TestLuaIsTheDocuments compares every script with its document, but for white space and what is
// meant to differ.
func TestLuaIsTheDocuments(t *testing.T) {
	files, err := filepath.Glob("*.lua")
	if err != nil || len(files) != len(documents) {
		t.Errorf("%d scripts, %d documents: %v", len(files), len(documents), err)
	}
	for _, f := range files {
		d := documents[f]
		text, err := ours(f)
		if err != nil || d.source == "" {
			t.Errorf("%s is in no document: %v", f, err)
		}
		want := d.text
		for i := 0; i < len(d.deviates); i += 2 {
			want = strings.ReplaceAll(want, d.deviates[i], d.deviates[i+1])
		}
		if want != "" && squeeze(text) != squeeze(want) {
			t.Errorf("%s is\n%s\n%s has\n%s", f, squeeze(text), d.source, squeeze(want))
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
