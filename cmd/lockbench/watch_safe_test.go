package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/redis/go-redis/v9"
)

// watcherMay makes the user that may watch.
const watcherMay = "ACL SETUSER watcher on >" + secret +
	" ~lock:* +monitor +info +ping +pttl +client|list +scan +dbsize"

// asking is the name of the connections that look at a server.
const asking = "asking"

// changing are the parts of CLIENT LIST that change by themselves.
var changing = regexp.MustCompile(
	` (age|idle|qbuf|qbuf-free|argv-mem|multi-mem|rbs|rbp|obl|oll|omem|tot-mem|cmd)=[^ \n]*`)

// everything returns all that a watch might change: keys with their expiry, configuration, users,
// scripts and clients.
func (s staging) everything(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	var b strings.Builder
	for db := range 2 {
		c := redis.NewClient(&redis.Options{Addr: s.plain, DB: db, Protocol: 2, DisableIdentity: true,
			ClientName: asking})
		keys := c.Keys(ctx, "*").Val()
		slices.Sort(keys)
		for _, k := range keys {
			fmt.Fprintf(&b, "%d %q %q %d\n", db, k, c.Dump(ctx, k).Val(), c.PExpireTime(ctx, k).Val())
		}
		c.Close()
	}
	fmt.Fprintln(&b, s.admin.ConfigGet(ctx, "*").Val())
	fmt.Fprintln(&b, s.admin.ACLList(ctx).Val())
	for _, of := range []string{"number_of_cached_scripts", "number_of_functions"} {
		_, rest, _ := strings.Cut(s.admin.Info(ctx, "memory").Val(), of)
		fmt.Fprintln(&b, strings.Fields(rest)[:1])
	}
	return b.String()
}

// clients returns the connections of a server, without those that ask. The server may notice the
// end of one a moment later.
func (s staging) clients(t *testing.T) string {
	t.Helper()
	text := ""
	for line := range strings.Lines(s.admin.ClientList(context.Background()).Val()) {
		if !strings.Contains(line, "cmd=client|list") && !strings.Contains(line, " name="+asking) {
			text += changing.ReplaceAllString(line, "")
		}
	}
	return text
}

// unchanged waits until the clients of a server are as before: it notices an end a moment later.
func (s staging) unchanged(t *testing.T, everything, clients string) {
	t.Helper()
	if now := s.everything(t); now != everything {
		t.Errorf("before:\n%s\nafter:\n%s", everything, now)
	}
	for limit := time.Now().Add(20 * time.Second); s.clients(t) != clients; {
		if time.Now().After(limit) {
			t.Fatalf("clients before:\n%s\nafter:\n%s", clients, s.clients(t))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// used gives a server keys of several types, in two databases, and a client that stays.
func (s staging) used(t *testing.T) {
	t.Helper()
	for _, words := range []string{watcherMay, "SET lock:x 0123456789abcdef NX PX 600000",
		"SET theirs 1", "HSET hash a 1 b 2", "RPUSH list a b", "ZADD zset 1 a", "SADD set a",
		"EXPIRE hash 600"} {
		s.do(t, anyWords(words)...)
	}
	other := redis.NewClient(&redis.Options{Addr: s.plain, DB: 1, Protocol: 2, ClientName: "theirs"})
	if err := other.Set(t.Context(), "lock:y", "1", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
}

func anyWords(line string) (all []any) {
	for _, w := range strings.Fields(line) {
		all = append(all, w)
	}
	return all
}

// asWatcher logs in as the user that may watch.
var asWatcher = []string{"LOCKBENCH_REDIS_USER=watcher", "LOCKBENCH_REDIS_PASSWORD=" + secret}

// TestAWatchLeavesEverythingAsItWas watches over TLS as a user with few rights, and without TLS as
// one with all rights, while a lock is in use.
func TestAWatchLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	s := newStaging(t)
	s.used(t)
	s.do(t, anyWords("ACL SETUSER owner on >"+secret+" ~* &* +@all")...)
	s.watchChangesNothing(t, asWatcher, "--addr", s.tls, "--tls")
	s.watchChangesNothing(t, []string{"LOCKBENCH_REDIS_USER=owner", asWatcher[1]}, "--addr", s.plain)
}

// watchChangesNothing compares the server before and after a watch, lists the commands that watch
// sent, and looks for values and passwords in everything that watch wrote.
func (s staging) watchChangesNothing(t *testing.T, env []string, args ...string) {
	t.Helper()
	before, clients := s.everything(t), s.clients(t)
	s.do(t, "CONFIG", "RESETSTAT")
	tmp := t.TempDir()
	page := filepath.Join(tmp, "page.html")
	c := command(t, tmp, append([]string{"watch", "--keys", "lock:*", "--for", "4s", "--all",
		"--report", page}, args...)...)
	c.Env = append(c.Env, append(env, "SSL_CERT_FILE="+s.ca)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	const value = "feedfacecafebeef"
	over := make(chan struct{})
	go func() { _ = c.Wait(); close(over) }()
	for running := true; running; {
		s.do(t, "SET", "lock:z", value, "NX", "PX", "60000")
		s.do(t, "DEL", "lock:z")
		select {
		case <-over:
			running = false
		case <-time.After(50 * time.Millisecond):
		}
	}
	if gaveUp(out.String()) {
		s.watchChangesNothing(t, env, args...)
		return
	}
	sent := s.admin.Info(t.Context(), "commandstats").Val()
	s.unchanged(t, before, clients)
	if !strings.Contains(out.String(), "acquired") || !strings.Contains(out.String(), "feed…(16)") {
		t.Errorf("it saw no lock:\n%s", &out)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{value, "0123456789abcdef", secret} {
		if strings.Contains(out.String()+string(html), hidden) {
			t.Errorf("it wrote %s:\n%s", hidden, &out)
		}
	}
	mine := []string{"set", "del", "config|resetstat", "info"}
	may := append(mine, "auth", "hello", "monitor", "ping", "pttl", "client|list", "scan", "dbsize")
	for line := range strings.Lines(sent) {
		verb, _, ok := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		if ok && !slices.Contains(may, verb) {
			t.Errorf("watch sent %s", verb)
		}
	}
}

// TestAWatchThatIsRefusedSaysSoInOneLine has servers that forbid MONITOR by a user's rights, and
// by another name, and wrong passwords.
func TestAWatchThatIsRefusedSaysSoInOneLine(t *testing.T) {
	t.Parallel()
	managed := filepath.Join(t.TempDir(), "managed.conf")
	if err := os.WriteFile(managed, []byte("rename-command MONITOR hidden\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStaging(t, "include", managed)
	s.used(t)
	s.do(t, anyWords("ACL SETUSER reader on >"+secret+" ~* +@read +info +ping")...)
	for _, row := range []struct{ user, password, says string }{
		{"watcher", secret, "this Redis does not allow MONITOR"},
		{"reader", secret, "let its user run `+monitor`"},
		{"watcher", "wrong", "are refused"},
	} {
		c := command(t, t.TempDir(), "watch", "--addr", s.plain, "--keys", "lock:*", "--for", "1m")
		c.Env = append(c.Env, "LOCKBENCH_REDIS_USER="+row.user, "LOCKBENCH_REDIS_PASSWORD="+row.password)
		said, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 254 || strings.Count(string(said), "\n") != 1 ||
			!strings.Contains(string(said), row.says) || strings.Contains(string(said), secret) {
			t.Errorf("%s: exit code %d\n%s", row.user, c.ProcessState.ExitCode(), said)
		}
	}
}

// TestNothingOfAWatchOutlivesAKill ends watches by each signal, with MONITOR and as a proxy.
func TestNothingOfAWatchOutlivesAKill(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // under nohup, watch would not end by it
	s := newStaging(t)
	s.used(t)
	before, clients := s.everything(t), s.clients(t)
	for _, more := range [][]string{nil, {"--proxy", "127.0.0.1:0"}} {
		for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT,
			syscall.SIGHUP} {
			tmp := t.TempDir()
			c := command(t, tmp, append([]string{"watch", "--addr", s.plain, "--keys", "lock:*", "--for",
				"1h"}, more...)...)
			c.Env = append(c.Env, asWatcher...)
			said, err := c.StderrPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := said.Read(make([]byte, 100)); err != nil { // "watching ..."
				t.Fatal(err)
			}
			_ = c.Process.Signal(sig)
			_ = c.Wait()
			allDie(t, tmp, sig)
			s.unchanged(t, before, clients)
		}
	}
}
