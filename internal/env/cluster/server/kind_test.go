package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReadiness has real lines of each kind of server, and what would be too early.
func TestReadiness(t *testing.T) {
	const (
		accepts   = "1:M 22 Nov 2026 10:45:17.713 * Ready to accept connections"
		socket    = "1:M * The server is now ready to accept connections at /tmp/s"
		copied    = "1:S 22 Nov 2026 10:45:17.713 * MASTER <-> REPLICA sync: Finished with success"
		monitors  = "1:X # +monitor master lockbench 127.0.0.1 6379 quorum 2"
		sentinels = "1:X * +sentinel sentinel 0a 127.0.0.1 26379 @ lockbench 127.0.0.1 6379"
	)
	replica := NodeConfig{ReplicaOf: "127.0.0.1:6379"}
	for _, row := range []struct {
		c    NodeConfig
		line string
		want bool
	}{
		{NodeConfig{}, accepts, true}, {NodeConfig{}, socket, true}, {NodeConfig{}, "", false},
		{replica, accepts, false}, {replica, copied, true},
		{NodeConfig{Kind: Sentinel{}}, monitors, true},
		{NodeConfig{Kind: Sentinel{}}, accepts, false},
		{NodeConfig{Kind: Sentinel{}}, sentinels, false},
	} {
		if got := row.c.kind().SaysReady(row.c, row.line); got != row.want {
			t.Errorf("%T, replica of %q: ready at %q is %v", row.c.kind(), row.c.ReplicaOf, row.line, got)
		}
	}
}

// TestCommands wants settings of the run to come after ours, so that they win.
func TestCommands(t *testing.T) {
	args, text := NodeConfig{Host: "127.1.1.1", Port: 7, ReplicaOf: "127.1.1.9:8",
		Config: []string{"appendonly", "yes"}}.Command("unused")
	line := strings.Join(args, " ")
	if text != "" || !strings.Contains(line, "--bind 127.1.1.1 --port 7 ") ||
		!strings.HasSuffix(line, " --replicaof 127.1.1.9 8 --appendonly yes") ||
		strings.Index(line, "--appendonly no") > strings.Index(line, "--appendonly yes") {
		t.Errorf("a server is started with %s and %q", line, text)
	}
	args, text = NodeConfig{Host: "127.1.1.4", Port: 9, Dir: "/d", Kind: Sentinel{
		Master: "127.1.1.9:8", Replicas: []string{"127.1.1.9:10"}, Self: Peer{"127.1.1.9:11", "aa"},
		Others: []Peer{{"127.1.1.9:12", "bb"}}}}.Command("/d/file")
	if !slices.Equal(args, []string{"/d/file", "--sentinel"}) {
		t.Errorf("a sentinel is started with %v", args)
	}
	for _, want := range []string{"bind 127.1.1.4", "port 9", "sentinel myid aa",
		"sentinel announce-port 11", "sentinel monitor lockbench 127.1.1.9 8 2",
		"sentinel known-replica lockbench 127.1.1.9 10",
		"sentinel known-sentinel lockbench 127.1.1.9 12 bb"} {
		if !slices.Contains(strings.Split(text, "\n"), want) {
			t.Errorf("the line %q is not in\n%s", want, text)
		}
	}
}

func TestDebuggingNeedsASettingFromVersion7(t *testing.T) {
	for version, want := range map[string]int{"Redis server v=7.0.15 sha=00": 2,
		"Redis server v=6.0.16 sha=00": 0, "Redis server v=10.0.0 sha=00": 2, "": 0} {
		if got := Debugging(version); len(got) != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestLinesOfINFO(t *testing.T) {
	const info = "# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.1.1\r\nrole:master\r\n"
	for name, want := range map[string]string{"redis_version": "7.2.4", "valkey_version": "8.1.1",
		"version": "", "role": "master"} {
		if got := Field(info, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestTheEndOfAServer(t *testing.T) {
	for out, want := range map[string]string{
		"":                        "redis-server n0 ended (exit status 1)",
		"first\nBad directive\n ": "redis-server n0 ended (exit status 1); its last line: Bad directive",
	} {
		l, err := NewLife(NodeConfig{Name: "n0", Log: t.TempDir() + "/log"})
		if err != nil {
			t.Fatal(err)
		}
		l.Follow(strings.NewReader(out))
		l.End("exit status 1")
		if got := fmt.Sprint(l.Ready()); got != want {
			t.Errorf("it says %s; want %s", got, want)
		}
	}
}
