package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/redis/go-redis/v9"
)

// watchTime returns how long the defects are planted again and again. By default they are planted
// twice, in a soak for ten minutes, and otherwise for as long as LOCKBENCH_SOAK_WATCH says.
func watchTime(t *testing.T) time.Duration {
	asked := os.Getenv("LOCKBENCH_SOAK_WATCH")
	switch {
	case asked == "" && testenv.Soak():
		return 10 * time.Minute
	case asked == "":
		return 0
	}
	d, err := time.ParseDuration(asked)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWatchFindsEveryPlantedDefectBesideFiveLibraries watches a Redis with lock libraries of five
// languages under load. It plants defects and faults, each on a key of its own, and correct twins.
// Watch must report each defect with its witness, and nothing else.
func TestWatchFindsEveryPlantedDefectBesideFiveLibraries(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	p := newWatchedPlace(t)
	p.startLibraries()
	// What only connections show is watched apart: libraries share connections in pools.
	p.watch("lock:*")
	p.watch("own:*", "--own-connections")
	p.waitForPolls()
	var rate int64 = 500
	if testenv.Soak() {
		rate = 2000
	}
	ctx, stop := context.WithCancel(t.Context())
	filled := make(chan struct{})
	go func() { p.fill(ctx, rate); close(filled) }()
	end := time.Now().Add(watchTime(t))
	for p.rounds < 2 || time.Now().Before(end) {
		evict := p.evict(p.rounds)
		p.plant(p.rounds)
		evict()
		p.flush(p.rounds)
		p.failover(p.rounds)
		p.rounds++
	}
	stop()
	<-filled
	p.stopLibraries()
	for _, w := range p.watches {
		w.stop()
	}
	p.compare()
}

// watchedPlace is a Redis behind an address that does not change, with a replica.
type watchedPlace struct {
	*testing.T
	front           *front
	master, replica string
	admin           *redis.Client // of the master
	libraries       map[string][]*library
	rounds          int
	want            map[string][]string // events by key
	untracked       map[string]bool     // keys that a watch says it lost track of
	watches         []*watching
}

func newWatchedPlace(t *testing.T) *watchedPlace {
	testenv.Part(t, "redis")
	p := &watchedPlace{T: t, libraries: map[string][]*library{}, want: map[string][]string{},
		untracked: map[string]bool{}}
	p.master, p.replica = p.redis("n0"), p.redis("n1")
	p.front = newFront(t, p.master)
	p.lead(p.master, p.replica)
	return p
}

func (p *watchedPlace) redis(name string) string {
	host, port := testenv.Address()
	dir := p.TempDir()
	n, err := server.StartNode(server.NodeConfig{Name: name, Host: host, Followed: true,
		Port: port, Dir: dir, Log: filepath.Join(dir, "log")})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(n.Kill)
	if err := n.Ready(); err != nil {
		p.Fatal(err)
	}
	return n.Addr()
}

// lead makes a server the master of the other one.
func (p *watchedPlace) lead(master, replica string) {
	p.admin = patientClient(master)
	p.follow(master, "NO", "ONE")
	host, port, _ := net.SplitHostPort(master)
	p.follow(replica, host, port)
	p.until("the replica follows", func() bool {
		return strings.Contains(p.admin.Info(p.Context(), "replication").Val(), "state=online")
	})
}

func (p *watchedPlace) follow(addr, host, port string) {
	c := patientClient(addr)
	defer c.Close()
	if err := c.ReplicaOf(context.Background(), host, port).Err(); err != nil {
		p.Fatal(err)
	}
}

// patient is how long the test waits for what must come, on a busy machine, too.
const patient = 5 * time.Minute

func (p *watchedPlace) until(what string, done func() bool) {
	p.Helper()
	for limit := time.Now().Add(patient); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			p.Fatalf("not in %v: %s", patient, what)
		}
	}
}

func (p *watchedPlace) startLibraries() {
	for name := range watchedLibraries {
		set, err := condition("adapter:" + name)
		if err != nil || !set {
			p.Logf("%s is not set up here: %v", name, err)
			continue
		}
		for i := range 2 {
			p.libraries[name] = append(p.libraries[name], startLibrary(p.T, name, p.front.addr, i))
		}
	}
	p.until("each library took its lock", func() bool {
		for _, ls := range p.libraries {
			for _, l := range ls {
				if l.grants.Load() == 0 {
					return false
				}
			}
		}
		return true
	})
}

func (p *watchedPlace) stopLibraries() {
	for _, ls := range p.libraries {
		for _, l := range ls {
			l.stop.Store(true)
			<-l.ended
		}
	}
}

// watching is a process of lockbench watch.
type watching struct {
	p     *watchedPlace
	front *front
	began time.Time
	cmd   *exec.Cmd
	out   soFar
	err   bytes.Buffer
}

// soFar is what a process has written so far.
type soFar struct {
	mu sync.Mutex
	b  []byte
}

func (o *soFar) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b = append(o.b, b...)
	return len(b), nil
}

// lines returns the lines that are complete.
func (o *soFar) lines() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := bytes.SplitAfter(o.b, []byte("\n"))
	return all[:len(all)-1]
}

func (p *watchedPlace) watch(keys string, more ...string) *watching {
	f := newFront(p.T, p.master)
	args := append([]string{"watch", "--addr", f.addr, "--keys", keys, "--for", "24h",
		"--json=true"}, more...)
	w := &watching{p: p, front: f, began: time.Now(), cmd: command(p.T, p.TempDir(), args...)}
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.err
	if err := w.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = w.cmd.Process.Kill() })
	p.watches = append(p.watches, w)
	return w
}

// stop ends the watch as Ctrl-C does.
func (w *watching) stop() {
	memory := w.memory()
	_ = w.cmd.Process.Signal(syscall.SIGINT)
	_ = w.cmd.Wait()
	busy := w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
	w.p.Logf("exit code %d, %v of processor time (%.1f %% of a core), at most %d MB\n%s",
		w.cmd.ProcessState.ExitCode(), busy, 100*busy.Seconds()/time.Since(w.began).Seconds(),
		memory, w.err.String())
	if memory > 150 {
		w.p.Errorf("%d MB of memory", memory)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// memory returns the most memory that the watch has had, in MB.
// It does not ask wait4(2): Linux counts what the parent had when it started the child.
func (w *watching) memory() (kilobytes int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	m := highWater.FindSubmatch(status)
	if err != nil || m == nil {
		w.p.Fatalf("no memory of the watch: %v\n%s", err, status)
	}
	_, _ = fmt.Sscan(string(m[1]), &kilobytes)
	return kilobytes >> 10
}

// waitForPolls waits until both watches have polled the present keys. Each has an address of its
// own, since libraries send PINGs, too.
func (p *watchedPlace) waitForPolls() {
	p.Helper()
	p.until("both watches are connected", func() bool {
		return strings.Count(p.admin.ClientList(p.Context()).Val(), " flags=O ") == 2
	})
	const enough = 15 // each fifth is a poll
	before := map[*watching]int64{}
	for _, w := range p.watches {
		before[w] = w.front.pings.Load()
	}
	p.until("both watches poll", func() bool {
		return !slices.ContainsFunc(p.watches, func(w *watching) bool {
			return w.front.pings.Load() < before[w]+enough
		})
	})
}

// plant carries out all defects at once.
func (p *watchedPlace) plant(round int) {
	var all sync.WaitGroup
	var keys []string
	run := func(key string, d plantedDefect) {
		p.want[key], keys = d.want, append(keys, key)
		a, b := newWatchedClient(p.T, p.front.addr), newWatchedClient(p.T, p.front.addr)
		all.Go(func() { d.do(key, a, b); a.leave(); b.leave() })
	}
	for name, d := range plantedByValue {
		run(fmt.Sprintf("lock:%s:%d", name, round), d)
	}
	for name, d := range plantedByConnection {
		do := d.do
		d.do = func(k string, a, b watchedClient) {
			do(k, a, b)
			a.do("PING") // it was there when another client deleted its key
		}
		run(fmt.Sprintf("own:%s:%d", name, round), d)
	}
	for name, do := range withoutDefect {
		run(fmt.Sprintf("own:%s:%d", name, round), plantedDefect{do: do})
	}
	all.Wait()
	p.waitForPolls()
	p.waitForReports(keys)
	for key := range p.want {
		if strings.HasPrefix(key, "lock:") && !strings.Contains(key, "eviction") {
			p.admin.Del(p.Context(), key) // not judged, as by another connection of a pool
		}
	}
}

// waitForReports waits until the watches have reported what they must of some keys: they withhold
// what no poll has confirmed when the server evicts keys. What was not reported in time is missing
// at the end.
func (p *watchedPlace) waitForReports(keys []string) {
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(
		50 * time.Millisecond) {
		got := p.reported()
		if !slices.ContainsFunc(keys, func(k string) bool { return len(got[k]) < len(p.want[k]) }) {
			return
		}
	}
}

// reported returns the events by key that the watches have reported, each with its verbs.
func (p *watchedPlace) reported() map[string][]string {
	got := map[string][]string{}
	for _, w := range p.watches {
		for _, line := range w.out.lines() {
			var e watch.Event
			if json.Unmarshal(line, &e) == nil && e.Kind != "" {
				got[e.Key] = append(got[e.Key], verbs(e))
			}
		}
	}
	return got
}

// hold takes a lock for a fault of the server.
func (p *watchedPlace) hold(name string, round int, want ...string) (c watchedClient, key string) {
	key = fmt.Sprintf("lock:%s:%d", name, round)
	p.want[key] = want
	c = newWatchedClient(p.T, p.front.addr)
	c.do("SET", key, key+"-a", "NX", "PX", longLease)
	return c, key
}

func (p *watchedPlace) flush(round int) {
	c, key := p.hold("FLUSHALL while it is held", round, "vanished: SET FLUSHALL")
	c.do("FLUSHALL")
	c.do("EVAL", compareAndDelete, 1, key, key+"-a")
	c.leave()
}

// evict takes a lock, and returns a function that lets the server evict its key.
func (p *watchedPlace) evict(round int) func() {
	c, key := p.hold("eviction while it is held", round, "vanished: SET PTTL")
	return func() {
		p.admin.ConfigSet(p.Context(), "maxmemory-policy", "volatile-ttl")
		p.admin.ConfigSet(p.Context(), "maxmemory", "1")
		_ = c.Do(p.Context(), "SET", "other", "1").Err() // it is refused when nothing is left to evict
		p.admin.ConfigSet(p.Context(), "maxmemory", "0")
		p.waitForPolls()
		c.do("EVAL", compareAndDelete, 1, key, key+"-a")
		c.leave()
	}
}

// failover replaces the master by a replica that did not get the key of a hold.
func (p *watchedPlace) failover(round int) {
	p.follow(p.replica, "NO", "ONE")
	c, key := p.hold("failover loses it", round, "lost: SET EVAL")
	p.waitForPolls()
	c.leave()
	p.front.replace(p.replica)
	for _, w := range p.watches {
		w.front.replace(p.replica)
	}
	p.master, p.replica = p.replica, p.master
	p.lead(p.master, p.replica)
	p.waitForPolls()
	c = newWatchedClient(p.T, p.front.addr)
	c.do("EVAL", compareAndExtend, 1, key, key+"-a", longLease)
	c.do("EVAL", compareAndDelete, 1, key, key+"-a")
	c.leave()
	p.waitForPolls()
}

// hitLibrary matches the events of locks that FLUSHALL, an eviction or a failover took from their
// libraries, and of clients that a lock without a queue starves on a busy machine.
var hitLibrary = regexp.MustCompile(`^lock:[a-z0-9-]+ (vanished|lost|starving): `)

// verbs returns the verbs of a witness: the third word of each command with stamp and address.
func verbs(e watch.Event) string {
	text := string(e.Kind) + ":"
	for _, w := range e.Witness {
		f := strings.Fields(w)
		if f[1] == "PTTL" {
			f = append(f[:1], f...) // a question of watch
		}
		text += " " + f[2]
	}
	return text
}

// compare fails for each defect that was not reported as it must be, and for each other report.
func (p *watchedPlace) compare() {
	got := p.reported()
	for _, w := range p.watches {
		for _, line := range w.out.lines() {
			var e watch.Event
			if json.Unmarshal(line, &e) == nil && e.Kind != "" {
				p.proves(e)
				continue
			}
			var s watch.Summary
			if err := json.Unmarshal(line, &s); err != nil {
				p.Fatal(err)
			}
			p.summary(s)
		}
	}
	p.missing(got)
	for key, events := range got {
		if _, planted := p.want[key]; planted {
			continue
		}
		for _, e := range events {
			if !hitLibrary.MatchString(key + " " + e) {
				p.Errorf("invented: %s: %s", key, e)
			}
		}
	}
}

// missing fails for each defect without its report. On a busy machine watch may lose track of a
// key, and say so: then it must have found the same defect in another round.
func (p *watchedPlace) missing(got map[string][]string) {
	found := map[string]bool{}
	defect := func(key string) string { return key[:strings.LastIndex(key, ":")] }
	for key, want := range p.want {
		found[defect(key)] = found[defect(key)] || slices.Equal(got[key], want)
	}
	for key, want := range p.want {
		switch {
		case slices.Equal(got[key], want):
		case p.untracked[key] && found[defect(key)] && len(got[key]) == 0:
			p.Logf("%s: watch lost track of it", key)
		default:
			p.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
}

// proves fails unless the witness of an event shows its key, and no value in full.
func (p *watchedPlace) proves(e watch.Event) {
	if len(e.Witness) == 0 {
		p.Errorf("%s has no witness", e)
	}
	for _, w := range e.Witness {
		if !strings.Contains(w, e.Key) && !strings.Contains(w, "FLUSH") && !strings.Contains(w, "SWAP") {
			p.Errorf("a witness of %s does not name it: %s", e.Key, w)
		}
		if strings.Contains(w, e.Key+"-") {
			p.Errorf("a value is written in full: %s", w)
		}
	}
}

func (p *watchedPlace) summary(s watch.Summary) {
	p.Logf("%s\n%v %v", s.Answer, s.Lost, s.Limits())
	for _, k := range s.Keys {
		p.untracked[k.Key] = p.untracked[k.Key] || k.Contradicted > 0
		name := strings.TrimPrefix(k.Key, "lock:")
		if shape := watchedLibraries[name]; shape != "" {
			var told int64
			for _, l := range p.libraries[name] {
				told += l.grants.Load()
			}
			p.Logf("%s: %d acquisitions seen, %d told, %d refused", k.Key, k.Acquired, told, k.Refused)
			if k.Shape != shape || k.Acquired == 0 {
				p.Errorf("%s: shape %q, want %q", k.Key, k.Shape, shape)
			}
		}
		// an eviction is seen later than its effects; a wrong model would lose track in each cycle
		if k.Contradicted > p.rounds+k.Acquired/100 {
			p.Errorf("%s: lost track %d times", k.Key, k.Contradicted)
		}
	}
}
