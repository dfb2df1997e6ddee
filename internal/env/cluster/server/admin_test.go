package server_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

// TestAdmin asks a real server what the harness asks.
func TestAdmin(t *testing.T) {
	c := server.Dial(running(t))
	defer c.Close()
	if v, err := c.Version(); !strings.Contains(v, ".") {
		t.Errorf("the version is %q, %v", v, err)
	}
	if low, high, err := c.Ahead(); err != nil || low > 0 || high < 0 {
		t.Errorf("the clock is ahead by %v to %v, %v", low, high, err)
	}
	if err := c.Barrier(1); err == nil || !strings.Contains(err.Error(), "0 of 1 replicas") {
		t.Errorf("a barrier without a replica: %v", err)
	}
	ctx := context.Background()
	if err := c.Do(ctx, "REPLICAOF", "127.84.5.9", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if role, err := c.Role(); role != "slave" {
		t.Errorf("the role of a replica is %q, %v", role, err)
	}
	if err := c.Promote(); err != nil {
		t.Fatal(err)
	}
	if role, err := c.Role(); role != "master" {
		t.Errorf("after its promotion the role is %q, %v", role, err)
	}
	if err := c.Announce("127.84.5.7:99"); err != nil {
		t.Fatal(err)
	}
	if v := c.ConfigGet(ctx, "replica-announce-port").Val(); v["replica-announce-port"] != "99" {
		t.Errorf("it announces %v", v)
	}
}

// TestMonitorAppends keeps what a node was told before it came back.
func TestMonitorAppends(t *testing.T) {
	addr, file := running(t), filepath.Join(t.TempDir(), "n0.jsonl")
	c := server.Dial(addr)
	defer c.Close()
	for _, key := range []string{"first", "second"} {
		m, err := server.Monitor(addr, file)
		if err != nil {
			t.Fatal(err)
		}
		c.Set(context.Background(), key, "1", 0)
		seen := func() bool {
			b, _ := os.ReadFile(file)
			return strings.Contains(string(b), `\"`+key+`\"`)
		}
		for limit := time.Now().Add(5 * time.Second); !seen(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("the stream has no %s", key)
			}
		}
		m.Close()
	}
	b, err := os.ReadFile(file)
	var sets []string
	for line := range strings.Lines(string(b)) {
		var c history.NodeCommand
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.T == 0 {
			t.Errorf("a line is %s, %v", line, err)
		}
		if _, what, ok := strings.Cut(c.Line, `"set" `); ok {
			sets = append(sets, what)
		}
	}
	if err != nil || !slices.Equal(sets, []string{`"first" "1"`, `"second" "1"`}) {
		t.Errorf("the stream is %s, %v", b, err)
	}
	if _, err := server.Monitor("127.84.6.9:1", file); err == nil {
		t.Error("a stream comes from a server that is not there")
	}
}
