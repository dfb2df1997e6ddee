package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/redis/go-redis/v9"
)

// ends are the ways in which lockbench may end in the middle of something. SIGQUIT is how Go ends a
// program after a panic that was not recovered: at once, without any clean-up of its own.
var ends = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT}

// lasting are all faults whose effect lasts, each with what a schedule needs for it.
var lasting = []struct{ name, topology, steps string }{
	{"pause", "", "- {do: pause, target: c1}"},
	{"crash", "", "- {do: crash, target: c1}"},
	{"client-clock", "", "- {do: client-clock, target: c1, offset: 1h, rate: 0.5}"},
	{"cut", "", "- {do: cut, target: '*>n0'}"},
	{"hold-back", "", "- {do: hold-back, target: 'c0>*', mode: replies}"},
	{"delay", "", "- {do: delay, target: '*>*', for: 100ms}"},
	{"refuse", "", "- {do: refuse, target: '*>n0'}"},
	{"reset", "", "- {do: reset, target: '*>n0'}"},
	{"redirect", "", "- {do: redirect, target: c0, node: spare}\n- {do: pause, target: c0}"},
	{"pause-node", "", "- {do: pause-node, target: n0}"},
	{"node-clock", "", "- {do: node-clock, target: n0, offset: 20m}"},
	{"busy", "", "- {do: busy, target: n0}"},
	{"stall", "", "- {do: stall, target: n0, for: 50s}"},
	{"fill-memory", "", "- {do: fill-memory, target: n0}"},
	{"kill", "failover", "- {do: kill, target: n0}"},
	{"replication", "failover", "- {do: cut, target: n0>n1}\n- {do: pause-node, target: n1}"},
	{"failover", "failover",
		"- {do: kill, target: n0}\n- {do: promote, target: n1}\n- {do: redirect, target: '*', node: n1}"},
	{"election", "sentinel", "- {do: pause-node, target: n0}\n- {do: cut, target: 's>s1'}"},
}

// TestNothingOutlivesAKillInAFault ends lockbench in the middle of each fault that lasts, and looks
// at the table of processes, at the folder for temporary files, and for what libfaketime leaves.
// The quick round takes the ends in turn.
func TestNothingOutlivesAKillInAFault(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	for i, fault := range lasting {
		for j, end := range ends {
			if !testenv.Soak() && i%len(ends) != j {
				continue
			}
			t.Run(fault.name+", "+end.String(), func(t *testing.T) {
				t.Parallel()
				if fault.name == "node-clock" {
					testenv.Part(t, "cc")
				}
				tmp := t.TempDir()
				inTheMiddle(t, command(t, tmp, stuck(t, tmp, fault.topology, fault.steps)...), tmp, end)
			})
		}
	}
	t.Run("libfaketime", func(t *testing.T) {
		t.Parallel()
		testenv.Part(t, "faketime")
		tmp := t.TempDir()
		c := command(t, tmp, stuck(t, tmp, "", "- {do: node-clock, target: n0, offset: 20m}")...)
		redis, err := exec.LookPath("redis-server")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(redis, filepath.Join(tmp, "redis-server")); err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, "PATH="+tmp, "XDG_CACHE_HOME="+tmp) // no compiler, and no shim
		for _, pid := range inTheMiddle(t, c, tmp, syscall.SIGKILL) {
			if left, _ := filepath.Glob(fmt.Sprintf("/dev/shm/*faketime*_%d", pid)); len(left) > 0 {
				t.Errorf("after the next run: %v", left)
			}
		}
	})
}

// stuck are the arguments of a run that does not come out of a fault.
func stuck(t *testing.T, tmp, topology, steps string) []string {
	t.Helper()
	file := filepath.Join(tmp, "stuck.yaml")
	text := fmt.Sprintf("topology: %q\nsteps:\n%s\n- {do: wait, for: 1m}\n", topology, steps)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"run", "--env", "process", "--impl", "token-lua", "--ttl", "1s", "--clients", "2",
		"--nemesis", file, "--for", "2m", "--store", filepath.Join(tmp, "store")}
}

// inTheMiddle ends a run when its fault is in force, and waits until nothing is left of it. It
// returns the processes that the run had then.
func inTheMiddle(t *testing.T, c *exec.Cmd, tmp string, end syscall.Signal) (had []int) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	awaitFault(t, tmp, &out)
	had = proc.Descendants(c.Process.Pid)
	_ = c.Process.Signal(end)
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); (end == syscall.SIGINT || end == syscall.SIGTERM) &&
		code != exitInterrupted {
		t.Errorf("exit code is %d:\n%s", code, out.String())
	}
	allDie(t, tmp, end)
	// the next start sweeps
	next := exec.Command(c.Path, "run", "--env", "process", "--impl", "none", "--for", "100ms",
		"--store", filepath.Join(tmp, "store"))
	next.Env = append(os.Environ(), "TMPDIR="+tmp)
	_ = next.Run()
	if left, _ := filepath.Glob(filepath.Join(tmp, "lockbench-*")); len(left) > 0 {
		t.Errorf("after %s and the next run: %v", end, left)
	}
	return had
}

// awaitFault waits until the record says that a fault has begun, and for a moment more.
func awaitFault(t *testing.T, tmp string, out *bytes.Buffer) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); time.Sleep(
		10 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(tmp, "store", "*", "2*", "history.jsonl"))
		for _, f := range files {
			if b, _ := os.ReadFile(f); bytes.Contains(b, []byte(`"type":"fault"`)) {
				time.Sleep(30 * time.Millisecond)
				return
			}
		}
	}
	t.Fatalf("no fault began:\n%s", out.String())
}

// TestAForeignRedisIsAsBefore ends lockbench in the middle of each fault that a Redis of others
// allows, and compares that Redis with its state before.
func TestAForeignRedisIsAsBefore(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	for i, fault := range lasting[:8] { // the others need a Redis of ours
		end := ends[i%len(ends)]
		t.Run(fault.name+", "+end.String(), func(t *testing.T) {
			t.Parallel()
			addr, c := foreign(t)
			before := standings(t, c)
			tmp := t.TempDir()
			args := append(stuck(t, tmp, "", fault.steps), "--addr", addr)
			args[2] = runner.External
			inTheMiddle(t, command(t, tmp, args...), tmp, end)
			if d := cmp.Diff(before, standings(t, c)); d != "" {
				t.Error(d)
			}
			for _, k := range c.Keys(context.Background(), "*").Val() {
				ttl := c.PTTL(context.Background(), k).Val()
				if end == syscall.SIGINT || end == syscall.SIGTERM || !strings.HasPrefix(k, "lockbench:") ||
					ttl < 0 {
					t.Errorf("after %s the key %s is left, for %v", end, k, ttl)
				}
			}
		})
	}
}

// foreign is a Redis that is not lockbench's.
func foreign(t *testing.T) (addr string, c *redis.Client) {
	t.Helper()
	dir := t.TempDir()
	host, port := testenv.Address()
	n, err := server.StartNode(server.NodeConfig{Name: "foreign", Host: host, Port: port, Dir: dir,
		Log: filepath.Join(dir, "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	c = redis.NewClient(&redis.Options{Addr: n.Addr()})
	t.Cleanup(func() { c.Close() })
	return n.Addr(), c
}

// standings are all settings of a Redis, and the other clients that are connected.
func standings(t *testing.T, c *redis.Client) map[string]string {
	t.Helper()
	ctx := context.Background()
	all, err := c.ConfigGet(ctx, "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	role, err := c.Do(ctx, "ROLE").Slice()
	if err != nil {
		t.Fatal(err)
	}
	all["role"] = fmt.Sprint(role[0])
	all["clients"] = fmt.Sprint(strings.Count(c.ClientList(ctx).Val(), "id=") == 1)
	return all
}
