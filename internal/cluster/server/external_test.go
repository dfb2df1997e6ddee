package server_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/cluster/server"
	"github.com/lockbench/lockbench/internal/testenv"
	"github.com/lockbench/lockbench/nemesis"
)

// running is a Redis that lockbench did not start.
func running(t *testing.T, host string, settings ...string) string {
	t.Helper()
	testenv.Part(t, "redis")
	dir := t.TempDir()
	n, err := server.StartNode(server.NodeConfig{Name: "theirs", Host: host, Port: 24567, Dir: dir,
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
	addr, ctx := running(t, "127.84.1.1"), context.Background()
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
	addr := running(t, "127.84.2.1")
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
	locked := running(t, "127.84.3.1", "requirepass", "secret")
	replica := running(t, "127.84.3.2")
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
