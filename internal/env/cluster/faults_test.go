package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/redis/go-redis/v9"
)

// bench is one Redis with one link to it, as a client has it, and a way around.
type bench struct {
	*Environment
	t      *testing.T
	client *redis.Client // through the link "c0>n0"
	direct *redis.Client
}

// What is lost is noticed after lostAfter. What must come may take patient, for a machine that
// stalls.
const (
	lostAfter = 500 * time.Millisecond
	patient   = time.Minute
)

func newBench(t *testing.T, scenario ...nemesis.Step) *bench {
	return benchOf(t, Config{Scenario: scenario})
}

func benchOf(t *testing.T, c Config) *bench {
	testenv.Part(t, "redis")
	c.Dir, c.Topology = t.TempDir(), nemesis.Single
	w, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	addr, err := w.proxies.Link("c0>n0", w.nodes.all[0].OwnAddr())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Environment: w, t: t, direct: redisOf(w.nodes.all[0]).Client}
	b.client = redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true,
		DialTimeout: patient, ReadTimeout: patient, WriteTimeout: patient, ContextTimeoutEnabled: true,
	})
	t.Cleanup(func() { b.client.Close() })
	b.must(b.client.Ping(context.Background()).Err())
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// set writes through the link and returns what the client thinks of it.
func (b *bench) set(key string) error {
	return b.setWithin(patient, key)
}

func (b *bench) setWithin(d time.Duration, key string) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return b.client.Set(ctx, key, "1", 0).Err()
}

// has looks at the server itself.
func (b *bench) has(key string) bool {
	n, err := b.direct.Exists(context.Background(), key).Result()
	b.must(err)
	return n == 1
}

// soon waits until the server has the key.
func (b *bench) soon(key string) {
	b.t.Helper()
	if !proc.Await(patient, time.Millisecond, func() bool { return b.has(key) }) {
		b.t.Fatalf("the server never saw %s", key)
	}
}

// lost writes through the link, and demands that the client does not know what became of it.
func (b *bench) lost(key string) {
	b.t.Helper()
	if err := b.setWithin(lostAfter, key); err == nil || impls.Definite(err) {
		b.t.Fatalf("outcome is %v; it must be unknown", err)
	}
}

func TestLinks(t *testing.T) {
	b := newBench(t)
	b.must(b.Cut("c0>*", nemesis.Requests))
	b.lost("requests")
	b.must(b.Heal("c0>*"))
	if b.has("requests") {
		t.Error("a request passed a link that was cut for requests")
	}

	b.must(b.set("healed"))
	b.must(b.Cut("c0>n0", nemesis.Replies))
	b.lost("replies")
	b.must(b.Heal("*"))
	b.soon("replies")

	b.must(b.set("connected")) // on a new connection the handshake would be held instead
	b.must(b.HoldBack("c0>n0", nemesis.Requests))
	b.lost("late")
	if b.has("late") {
		t.Error("a held request arrived at once")
	}
	b.must(b.Heal("c0>n0"))
	b.soon("late") // although its client has given up and closed the connection

	b.must(b.Refuse("c0>n0"))
	if err := b.set("refused"); err == nil {
		t.Error("a refused link took a command")
	}
	// the first may have found a dead connection in the pool
	if err := b.set("refused"); !impls.Definite(err) {
		t.Errorf("a refused dial is definite, not %v", err)
	}
	b.must(b.Heal("c0>n0"))
	b.must(b.set("back"))

	b.must(b.Reset("c0>n0"))
	b.lost("reset")
	b.must(b.Heal("c0>n0"))
	b.must(b.Delay("c0>n0", 5*time.Millisecond))
	b.must(b.set("slow"))
	b.must(b.Heal("c0>n0"))

	if err := b.Cut("c7>n0", nemesis.Both); err == nil ||
		!strings.Contains(err.Error(), `no link "c7>n0"`) {
		t.Errorf("error is %v", err)
	}
}

func TestNodeIsPaused(t *testing.T) {
	b := newBench(t)
	b.must(b.PauseNode("n0"))
	b.lost("paused")
	b.must(b.ResumeNode("n0"))
	b.soon("paused") // the kernel kept it
}

// TestARestartKeepsTheDisk, on which Redis has only what its settings tell it to write. Whatever it
// has written is gone when the disk is lost.
func TestARestartKeepsTheDisk(t *testing.T) {
	disk := []string{"appendonly", "yes", "appendfsync", "always"}
	for what, c := range map[string]struct {
		config []string
		lost   bool
		keeps  bool
	}{
		"nothing is written":        {},
		"each command is written":   {config: disk, keeps: true},
		"and then the disk is lost": {config: disk, lost: true},
		"nothing, and that is lost": {lost: true},
	} {
		t.Run(what, func(t *testing.T) {
			b := benchOf(t, Config{RedisConfig: c.config})
			b.must(b.set("old"))
			b.must(b.KillNode("n0"))
			if err := b.set("dead"); err == nil {
				t.Error("a dead node took a command")
			}
			if c.lost {
				b.must(b.LoseDisk("n0"))
			}
			b.must(b.StartNode("n0"))
			b.must(b.set("new"))
			if b.has("old") != c.keeps {
				t.Errorf("it remembers: %v", !c.keeps)
			}
		})
	}
}

func TestServerClockJumps(t *testing.T) {
	testenv.Part(t, "cc")
	clockJumps(t)
}

// TestServerClockByFaketime has neither a compiler nor a shim that was compiled before.
func TestServerClockByFaketime(t *testing.T) {
	testenv.Part(t, "redis")
	testenv.Part(t, "faketime")
	redis, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(redis, filepath.Join(bin, "redis-server")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	before := orphanedClocks()
	if _, err := clock.Shim(); err == nil {
		t.Fatal("the shim was made without a compiler")
	}
	if err := server.ClockMeans(); err != nil {
		t.Fatal(err)
	}
	t.Run("jumps", clockJumps)
	var left []string
	if !proc.Await(patient, 10*time.Millisecond, func() bool { // others sweep what they leave soon
		left = slices.DeleteFunc(orphanedClocks(), func(f string) bool {
			return slices.Contains(before, f)
		})
		return len(left) == 0
	}) {
		t.Errorf("libfaketime left %v", left)
	}
}

// orphanedClocks returns the files of libfaketime whose process is gone. Other processes of the
// machine have such files, too.
func orphanedClocks() (left []string) {
	files, _ := filepath.Glob("/dev/shm/*faketime*")
	for _, f := range files {
		if pid, err := strconv.Atoi(f[strings.LastIndex(f, "_")+1:]); err == nil && proc.IsGone(pid) {
			left = append(left, f)
		}
	}
	return left
}

func clockJumps(t *testing.T) {
	b := newBench(t, nemesis.Step{Do: nemesis.NodeClock})
	ctx := context.Background()
	b.must(b.client.Set(ctx, "lease", "1", time.Hour).Err())
	b.must(b.SetNodeClock("n0", -time.Hour))
	if ttl := b.direct.TTL(ctx, "lease").Val(); ttl < 90*time.Minute {
		t.Errorf("after a jump back the key has %v left", ttl)
	}
	b.must(b.SetNodeClock("n0", 2*time.Hour))
	if b.has("lease") {
		t.Error("a key outlived a jump beyond its expiry")
	}
}

func TestClockOfAnUnpreparedNode(t *testing.T) {
	b := newBench(t)
	if err := b.SetNodeClock("n0", time.Hour); err == nil {
		t.Error("the clock of a node without the shim was moved")
	}
}

func TestNodeIsBusy(t *testing.T) {
	b := newBench(t)
	b.must(b.Block("n0"))
	busy := false
	for limit := time.Now().Add(patient); !busy && time.Now().Before(limit); {
		err := b.set("busy")
		busy = err != nil && strings.HasPrefix(err.Error(), "BUSY ") && impls.Definite(err)
	}
	if !busy {
		t.Error("a node with an endless script never said -BUSY")
	}
	b.must(b.Free("n0"))
	b.must(b.set("free"))
}

func TestReplicaHasWhatTheBarrierSays(t *testing.T) {
	testenv.Part(t, "redis")
	w, err := Start(Config{Dir: t.TempDir(), Topology: nemesis.Failover})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx := context.Background()
	for i := range 20 {
		key := "k" + strconv.Itoa(i)
		if err := redisOf(w.nodes.all[0]).Set(ctx, key, "1", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if err := w.Barrier(); err != nil {
			t.Fatal(err)
		}
		if n := redisOf(w.nodes.all[1]).Exists(ctx, key).Val(); n != 1 {
			t.Fatalf("%s is not on the replica", key)
		}
	}
	if err := w.KillNode("n0"); err != nil {
		t.Fatal(err)
	}
	if err := w.Promote("n1"); err != nil {
		t.Fatal(err)
	}
	if err := redisOf(w.nodes.all[1]).Set(ctx, "written", "1", 0).Err(); err != nil {
		t.Errorf("a promoted replica refuses writes: %v", err)
	}
}
