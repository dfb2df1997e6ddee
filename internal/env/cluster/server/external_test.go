package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// running is a Redis that lockbench did not start.
func running(t *testing.T, settings ...string) string {
	t.Helper()
	testenv.Part(t, "redis")
	dir := t.TempDir()
	host, port := testenv.Address()
	n, err := server.StartNode(server.NodeConfig{Name: "theirs", Host: host, Port: port, Dir: dir,
		Log: filepath.Join(dir, "log"), Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	return n.Addr()
}

func TestExternalLeavesOnlyWhatItFound(t *testing.T) {
	addr, ctx := running(t), context.Background()
	c := server.Dial(addr)
	defer c.Close()
	if err := c.Set(ctx, "theirs", "1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}}); err == nil ||
		!strings.Contains(err.Error(), "--any-database") {
		t.Fatalf("a database with a key of others: %v", err)
	}
	g, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}, AnyDatabase: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: nemesis.Single, Launcher: g})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MSet(ctx, g.Prefix+"lock:0", "1", "channel:{"+g.Prefix+"lock:0}", "1").Err(); err !=
		nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if keys := c.Keys(ctx, "*").Val(); len(keys) != 1 || keys[0] != "theirs" {
		t.Errorf("the keys %v are left", keys)
	}
}

func TestExternalRefusesWhatIsDoneToRedis(t *testing.T) {
	addr := running(t)
	for _, do := range []string{nemesis.KillNode, nemesis.PauseNode, nemesis.NodeClock, nemesis.Stall,
		nemesis.Promote} {
		g, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: nemesis.Single, Launcher: g,
			Scenario: []nemesis.Step{{Do: do, Target: "n0"}}})
		if err == nil || !strings.Contains(err.Error(), "not ours") {
			t.Errorf("%s: %v", do, err)
		}
	}
	g, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: nemesis.Independent,
		Masters:  3,
		Launcher: g}); err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("three masters of one address: %v", err)
	}
}

func TestConnectSaysWhatIsWrong(t *testing.T) {
	locked := running(t, "requirepass", "secret")
	replica := running(t)
	c := server.Dial(replica)
	defer c.Close()
	if err := c.Do(context.Background(), "REPLICAOF", "127.84.3.9", "1").Err(); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		e    server.ExternalConfig
		want string
	}{
		"no password": {server.ExternalConfig{Addrs: []string{locked}}, "LOCKBENCH_REDIS_PASSWORD"},
		"wrong password": {server.ExternalConfig{Addrs: []string{locked}, Password: "wrong"},
			"WRONGPASS"},
		"right password": {server.ExternalConfig{Addrs: []string{locked}, Password: "secret"}, ""},
		"user": {server.ExternalConfig{Addrs: []string{locked}, User: "default",
			Password: "secret"}, ""},
		"no TLS":     {server.ExternalConfig{Addrs: []string{locked}, TLS: true}, "no Redis answers"},
		"nobody":     {server.ExternalConfig{Addrs: []string{"127.84.3.8:1"}}, "no Redis answers"},
		"no port":    {server.ExternalConfig{Addrs: []string{"redis"}}, "host:port"},
		"no address": {server.ExternalConfig{}, "--addr"},
		"replica":    {server.ExternalConfig{Addrs: []string{replica}}, "its master"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := server.Connect(row.e)
			switch {
			case row.want == "" && err == nil:
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			case err == nil || row.want == "" || !strings.Contains(err.Error(), row.want):
				t.Errorf("said %v; want %q", err, row.want)
			}
		})
	}
}

// listening are the addresses at which this process can be reached: those that every user of the
// machine can connect to.
func listening(t *testing.T) (addrs []string) {
	t.Helper()
	ours := map[string]bool{}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		to, _ := os.Readlink(fd)
		ours[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(table)) {
		const local, state, inode, listens = 1, 3, 9, "0A"
		f := strings.Fields(line)
		if len(f) <= inode || f[state] != listens || !ours[f[inode]] {
			continue
		}
		var a, b, c, d byte
		var port int
		if _, err := fmt.Sscanf(f[local], "%02X%02X%02X%02X:%X", &d, &c, &b, &a, &port); err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, fmt.Sprintf("%d.%d.%d.%d:%d", a, b, c, d, port))
	}
	return addrs
}

// TestNoOtherUserGetsInWithOurPassword asks at every door that a run opens, as another user of the
// machine could.
func TestNoOtherUserGetsInWithOurPassword(t *testing.T) {
	addr := running(t, "requirepass", "secret")
	g, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}, Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	w, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: nemesis.Single, Launcher: g,
		Clients: 1, Worker: workloads.Config{Impl: "token-lua", Keys: []string{g.Prefix + "lock"},
			TTL: history.Duration(time.Second), Poll: history.Duration(time.Second),
			AcquireTimeout: history.Duration(time.Second), ClientTimeout: history.Duration(time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	doors := listening(t)
	if len(doors) < 3 {
		t.Fatalf("only %v are open: the link, its tunnel and the proxies' own were expected", doors)
	}
	for _, door := range doors {
		c, err := net.Dial("tcp", door)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(c, strings.Repeat("ACL WHOAMI\r\n", 10))
		if answer, _ := io.ReadAll(c); strings.Contains(string(answer), "default") {
			t.Errorf("%s leads to Redis without a password: it answers %.40q", door, answer)
		}
	}
}

// TestRepliesOfAStrangerAreBounded visits what is no Redis, and would take all memory.
func TestRepliesOfAStrangerAreBounded(t *testing.T) {
	for name, says := range map[string]string{
		"a long array":    "*50000000\r\n", // not so long that the test could do harm
		"an endless line": "+" + strings.Repeat("a", 1<<20),
		"a web server":    "HTTP/1.1 400 Bad Request\r\n\r\n",
	} {
		addr := testenv.Listen(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_, _ = io.WriteString(c, says)
			_, _ = io.Copy(io.Discard, c)
		})
		for _, password := range []string{"", "x"} {
			_, err := server.Connect(server.ExternalConfig{Addrs: []string{addr}, Password: password})
			if err == nil || !strings.Contains(err.Error(), "no Redis answers: protocol error") &&
				!strings.Contains(err.Error(), "are refused") {
				t.Errorf("%s, password %q: %v", name, password, err)
			}
		}
	}
}

// TestCleanExternal cleans up beside a run that lives, and among keys of others.
func TestCleanExternal(t *testing.T) {
	addr, ctx := running(t), context.Background()
	config := server.ExternalConfig{Addrs: []string{addr}, AnyDatabase: true}
	lives, err := server.Connect(config)
	if err != nil {
		t.Fatal(err)
	}
	defer lives.Close()
	if _, err := lives.Launch(server.NodeConfig{Name: "n0"}); err != nil {
		t.Fatal(err)
	}
	c := server.Dial(addr)
	defer c.Close()
	const dead = "lockbench:ABCDEFGHIJ:"
	theirs := []string{"theirs", "lockbench:notes", "lockbench:ABC:lock:0", "lockbench:abcdefghij:x"}
	for _, k := range append(theirs, dead+"lock:0", "channel:{"+dead+"lock:0}",
		lives.Prefix+"lock:0") {
		if err := c.Set(ctx, k, "1", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	removed, kept, err := server.CleanExternal(config)
	if removed != 2 || kept != 2 || err != nil { // the run that lives has a key that says so, too
		t.Errorf("%d removed, %d kept, %v", removed, kept, err)
	}
	want := append(theirs, lives.Prefix+"lock:0", lives.Prefix+"alive")
	if got := c.Keys(ctx, "*").Val(); len(got) != len(want) ||
		c.Exists(ctx, want...).Val() != int64(len(want)) {
		t.Errorf("the keys %v are left, not %v", got, want)
	}
}

// TestRedisOwnWords wants what Redis refuses at the start to be said in its own words, before a
// client fails for a reason that only its trace tells.
func TestRedisOwnWords(t *testing.T) {
	addr := running(t)
	c, ctx := server.Dial(addr), context.Background()
	defer c.Close()
	must := func(args ...any) {
		t.Helper()
		if err := c.Do(ctx, args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	must("ACL", "SETUSER", "reader", "on", ">x", "~*", "+@read", "+info")
	const full = "ERR max number of clients reached"
	for says, row := range map[string]struct {
		before []any
		as     server.ExternalConfig
	}{
		"NOPERM": {[]any{"PING"}, server.ExternalConfig{User: "reader", Password: "x"}},
		"OOM":    {[]any{"CONFIG", "SET", "maxmemory", "1"}, server.ExternalConfig{}},

		full: {[]any{"CONFIG", "SET", "maxclients", "1"}, server.ExternalConfig{}},
		"refuses to talk: " + full: {[]any{"CONFIG", "SET", "maxclients", "1"},
			server.ExternalConfig{Password: "x"}},
	} {
		must("CONFIG", "SET", "maxclients", "100")
		must(row.before...)
		row.as.Addrs = []string{addr}
		g, err := server.Connect(row.as)
		if err == nil {
			_, err = g.Launch(server.NodeConfig{Name: "n0"})
			g.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s expected: %v", says, err)
		}
	}
}
