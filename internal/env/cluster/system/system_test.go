package system

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

func TestEverySystemIsKnownEverywhere(t *testing.T) {
	if all := append([]string{nemesis.Redis}, Names()...); !slices.Equal(all, nemesis.Systems()) {
		t.Errorf("here there are %v, in nemesis %v", all, nemesis.Systems())
	}
	if _, err := Find("oracle"); err == nil || !strings.Contains(err.Error(), "etcd, mariadb") {
		t.Error(err)
	}
}

// TestReadiness has real lines of each system, and what would be too early.
func TestReadiness(t *testing.T) {
	for _, row := range []struct {
		kind        server.Kind
		ready, soon string
	}{
		{Etcd{}, `"caller":"embed/serve.go:145","msg":"serving client traffic insecurely;"`,
			`"msg":"serving peer traffic","address":"127.77.1.1:33001"`},
		{ZooKeeper{all: make([]server.Fellow, 3)}, "[QuorumPeer[myid=3](plain=127.9.9.1:21000)] INFO " +
			"o.a.z.server.quorum.QuorumPeer - Peer state changed: leading - broadcast",
			"442 [main] INFO o.a.z.audit.ZKAuditProvider - ZooKeeper audit is disabled."},
		{ZooKeeper{}, "[main] INFO org.apache.zookeeper.server.ContainerManager - Using " +
			"checkIntervalMs=60000 maxPerMinute=10000 maxNeverUsedIntervalMs=0",
			// it says so, too, when its configuration is wrong
			"442 [main] INFO o.a.z.audit.ZKAuditProvider - ZooKeeper audit is disabled."},
		{Postgres{}, "LOG:  database system is ready to accept connections",
			"LOG:  database system was shut down at 2026-11-22 18:00:00 UTC"},
		{bouncer{}, "[2210] LOG process up: PgBouncer 1.18.0, libevent 2.1.12-stable (epoll)",
			"[2210] LOG listening on 127.77.1.1:21001"},
		{MariaDB{}, "[Note] /usr/sbin/mariadbd: ready for connections.",
			"[Note] Server socket created on IP: '127.0.0.1'."},
	} {
		if !row.kind.SaysReady(server.NodeConfig{}, row.ready) ||
			row.kind.SaysReady(server.NodeConfig{}, row.soon) {
			t.Errorf("%s is not ready exactly at %q", row.kind.Name(), row.ready)
		}
	}
}

// TestEverySystemStartsAndComesBack starts a server of each kind, asks its version, kills it and
// starts it again with what it left behind.
func TestEverySystemStartsAndComesBack(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testenv.Part(t, name)
			kind, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := server.Scratch()
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			host, port := testenv.Address()
			c := server.NodeConfig{Name: "n0", Host: host, Port: port, Kind: kind,
				Dir: filepath.Join(folder.Path, "n0"), Log: filepath.Join(t.TempDir(), "log")}
			for range 2 {
				if err := lives(c); err != nil {
					log, _ := os.ReadFile(c.Log)
					t.Fatalf("%v\n%s", err, log)
				}
			}
		})
	}
}

// TestAFrontLeadsToItsServer asks a server through what stands before it, also after the server was
// killed and came back.
func TestAFrontLeadsToItsServer(t *testing.T) {
	testenv.Part(t, "pgbouncer")
	testenv.Part(t, "postgres")
	folder, err := server.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	host, port := testenv.Address()
	c := server.NodeConfig{Name: "n0", Host: host, Port: port,
		Kind: found(t, "pgbouncer"), Dir: filepath.Join(folder.Path, "n0"),
		Log: filepath.Join(t.TempDir(), "n0.log")}
	front, ok := server.FrontOf(c)
	if _, bare := server.FrontOf(server.NodeConfig{Kind: Postgres{}}); bare || !ok {
		t.Fatal("what has a front has none, or the other way round")
	}
	f, err := server.StartNode(front)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Kill()
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		n, err := server.StartNode(c)
		if err != nil {
			t.Fatal(err)
		}
		err = n.Ready()
		if err == nil {
			if login(front, clientRole, nil, "select 1") == nil {
				err = errors.New("a client logs in without a password")
			} else {
				err = asClient(front, "select 1")
			}
		}
		n.Kill()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// lives starts a server, pauses it for a moment, asks its version and kills it.
func lives(c server.NodeConfig) error {
	n, err := server.StartNode(c)
	if err != nil {
		return err
	}
	defer n.Kill()
	if err := n.Ready(); err != nil {
		return err
	}
	if err := n.Pause(); err != nil {
		return err
	}
	if err := n.Resume(); err != nil {
		return err
	}
	o := c.Kind.Operator(c)
	defer o.Close()
	v, err := o.Version()
	if err == nil && (v == "" || strings.ContainsAny(v, " -\n")) {
		err = fmt.Errorf("its version is %q", v)
	}
	return err
}

// found is a system with a password.
func found(t *testing.T, name string) server.Kind {
	t.Helper()
	k, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
