package impls_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/redis/go-redis/v9"
)

// asked are the keys and arguments with which each script is asked by another client, for a lease
// of 20 s.
var asked = map[string]func(who string) (keys []string, args []any){
	"setnx_expire.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{who, 20}
	},
	"setnx_expire_posted.lua": func(who string) ([]string, []any) {
		return []string{"k", who},
			[]any{"k", 20}
	},
	"redisson_acquire.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{20000, who}
	},
	"redisson_fenced_acquire.lua": func(who string) ([]string, []any) {
		return []string{"k", "counter"}, []any{20000, who}
	},
	"extend.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{who, 20000}
	},
	"redisson_renew.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{20000, who}
	},
	"release.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{who}
	},
	"release_posted.lua": func(who string) ([]string, []any) { return []string{"k", who}, nil },
	"redisson_unlock.lua": func(who string) ([]string, []any) {
		return []string{"k", "channel"},
			[]any{0, 20000, who}
	},
	"redisson_spin_unlock.lua": func(who string) ([]string, []any) {
		return []string{"k"},
			[]any{20000, who}
	},
}

// TestDeclaredReplies asks a real server what each script replies to who has the lock and to who
// has not, and compares it with what is declared: the checker believes it.
func TestDeclaredReplies(t *testing.T) {
	c := needRedis(t).connect(1)[0]
	tested := map[string]bool{}
	for _, e := range impls.All() {
		for _, s := range e.Scripts {
			file, text := fileOf(t, s.Text)
			if tested[s.Text] {
				continue
			}
			tested[s.Text] = true
			ask := func(who string) string {
				keys, args := asked[file](who)
				if strings.Contains(text, "'pexpire'") && file == "setnx_expire.lua" {
					args[1] = 20000
				}
				return spoken(c.Eval(t.Context(), text, keys, args...))
			}
			if s.Kept != "" {
				prepare(t, c, s, file)
				c.HIncrBy(t.Context(), "k", "a", 1)
				if reply := ask("a"); !fits(s.Kept, reply) || c.Exists(t.Context(), "k").Val() != 1 {
					t.Errorf("%s: an inner release is told %q, declared is %q", file, reply, s.Kept)
				}
			}
			prepare(t, c, s, file)
			theirs, other := ask("a"), ""
			if s.Does == "free" {
				prepare(t, c, s, file)
			}
			other = ask("b")
			if !fits(s.Done, theirs) || fits(s.Refused, theirs) {
				t.Errorf("%s: who may is told %q, declared is %q", file, theirs, s.Done)
			}
			if !fits(s.Refused, other) || fits(s.Done, other) {
				t.Errorf("%s: who may not is told %q, declared is %q", file, other, s.Refused)
			}
		}
	}
	// setnx_expire.lua has two forms
	if files, _ := filepath.Glob("*.lua"); len(tested) != len(files)+1 {
		t.Errorf("%d scripts are declared, and there are %d files", len(tested), len(files))
	}
}

// prepare makes the lock a's for a script that prolongs or frees, and leaves it free for one that
// takes.
func prepare(t *testing.T, c redis.UniversalClient, s impls.Script, file string) {
	t.Helper()
	c.Del(t.Context(), "k", "counter")
	switch {
	case s.Does == "take":
	case strings.HasPrefix(file, "redisson"):
		c.HIncrBy(t.Context(), "k", "a", 1)
	default:
		c.Set(t.Context(), "k", "a", 0)
	}
}

// fileOf finds the file that a script was read from.
func fileOf(t *testing.T, text string) (file, whole string) {
	t.Helper()
	for f := range asked {
		have, err := ours(f)
		if err != nil {
			t.Fatal(err)
		}
		if have == strings.Replace(text, "'pexpire', KEYS[1], ARGV[2]) else return 0",
			"'expire', KEYS[1], ARGV[2]) else return 0", 1) || have == text {
			return f, text
		}
	}
	t.Fatalf("no file has the script %s", text)
	return "", ""
}

// spoken is a reply as a trace has it.
func spoken(cmd *redis.Cmd) string {
	v, err := cmd.Result()
	if err == redis.Nil {
		return "(nil)"
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(v)
}

func fits(pattern, reply string) bool {
	return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(reply)
}
