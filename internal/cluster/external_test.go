package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/testenv"
	"github.com/lockbench/lockbench/nemesis"
)

// running is a Redis that somebody else has started.
func running(t *testing.T, host string, settings ...string) string {
	t.Helper()
	testenv.Part(t, "redis")
	dir := t.TempDir()
	n, err := StartNode(NodeConfig{Name: "theirs", Host: host, Port: 24567, Dir: dir,
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

func TestGuestLeavesOnlyWhatItFound(t *testing.T) {
	addr, ctx := running(t, "127.84.1.1"), context.Background()
	c := admin(addr)
	defer c.Close()
	if err := c.Set(ctx, "theirs", "1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := Visit(External{Addrs: []string{addr}}); err == nil ||
		!strings.Contains(err.Error(), "--any-database") {
		t.Fatalf("a database with a key of others: %v", err)
	}
	g, err := Visit(External{Addrs: []string{addr}, AnyDatabase: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Start(Config{Dir: t.TempDir(), Topology: nemesis.Single, Launcher: g})
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

func TestGuestRefusesWhatIsDoneToRedis(t *testing.T) {
	addr := running(t, "127.84.2.1")
	for _, do := range []string{nemesis.KillNode, nemesis.PauseNode, nemesis.NodeClock, nemesis.Stall,
		nemesis.Promote} {
		g, err := Visit(External{Addrs: []string{addr}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Start(Config{Dir: t.TempDir(), Topology: nemesis.Single, Launcher: g,
			Scenario: []nemesis.Step{{Do: do, Target: "n0"}}})
		if err == nil || !strings.Contains(err.Error(), "not ours") {
			t.Errorf("%s: %v", do, err)
		}
	}
	g, err := Visit(External{Addrs: []string{addr}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(Config{Dir: t.TempDir(), Topology: nemesis.Independent, Masters: 3,
		Launcher: g}); err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("three masters of one address: %v", err)
	}
}

func TestVisitSaysWhatIsWrong(t *testing.T) {
	locked := running(t, "127.84.3.1", "requirepass", "secret")
	replica := running(t, "127.84.3.2")
	c := admin(replica)
	defer c.Close()
	if err := c.Do(context.Background(), "REPLICAOF", "127.84.3.9", "1").Err(); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		e    External
		want string
	}{
		"no password":    {External{Addrs: []string{locked}}, "LOCKBENCH_REDIS_PASSWORD"},
		"wrong password": {External{Addrs: []string{locked}, Password: "wrong"}, "WRONGPASS"},
		"right password": {External{Addrs: []string{locked}, Password: "secret"}, ""},
		"user":           {External{Addrs: []string{locked}, User: "default", Password: "secret"}, ""},
		"no TLS":         {External{Addrs: []string{locked}, TLS: true}, "no Redis answers"},
		"nobody":         {External{Addrs: []string{"127.84.3.8:1"}}, "no Redis answers"},
		"no port":        {External{Addrs: []string{"redis"}}, "host:port"},
		"no address":     {External{}, "--addr"},
		"replica":        {External{Addrs: []string{replica}}, "its master"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Visit(row.e)
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

func TestTunnelSpeaksTLS(t *testing.T) {
	plain := running(t, "127.84.4.1")
	certified := httptest.NewTLSServer(nil) // for its certificate
	defer certified.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() { // Redis behind TLS
		back := &tunnel{reach: login{to: plain}.dial, listen: ln, open: map[net.Conn]bool{}}
		back.serve()
	}()
	trusting := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com"}
	trusting.RootCAs.AddCert(certified.Certificate())
	tun, err := dig("127.0.0.1:0", login{ln.Addr().String(), External{TLS: true}, trusting}.dial)
	if err != nil {
		t.Fatal(err)
	}
	defer tun.close()
	c := admin(tun.addr())
	defer c.Close()
	if got, err := c.Ping(context.Background()).Result(); got != "PONG" {
		t.Errorf("PING through TLS: %q, %v", got, err)
	}
}
