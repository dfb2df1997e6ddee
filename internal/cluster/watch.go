package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

const (
	// downAfter is how long a master must be silent before a sentinel gives it up; Redis checks ten
	// times a second.
	downAfter = 500 * time.Millisecond
	// patientAfter is how long while nothing is done to the servers.
	patientAfter = 10 * time.Minute
)

// election is how far the sentinels are. A fault and a sentinel's words may come at once.
type election struct {
	mu     sync.Mutex
	near   bool   // they watch closely
	begun  string // the replica that they promoted last
	master string // whom they have told their clients of
}

// Watch is what a sentinel is told when it starts.
type Watch struct {
	Master   string   // host:port of the master
	Replicas []string // public addresses
	Self     Peer     // how others know it
	Others   []Peer   // the other sentinels
}

// Peer is a sentinel as others know it.
type Peer struct{ Addr, ID string }

// SentinelFile is the configuration that a sentinel wants to read from a file, and to rewrite.
func (c NodeConfig) SentinelFile() string {
	pair := func(addr string) string { return strings.Replace(addr, ":", " ", 1) }
	host, port, _ := net.SplitHostPort(c.Watches.Self.Addr)
	master := workloads.MasterName
	lines := []string{
		"bind " + c.Host, "port " + strconv.Itoa(c.Port), "dir " + c.Dir, "protected-mode no",
		"sentinel myid " + c.Watches.Self.ID, "sentinel announce-ip " + host, "sentinel announce-port " +
			port,
		fmt.Sprintf("sentinel monitor %s %s 2", master, pair(c.Watches.Master)),
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", master, patientAfter.Milliseconds()),
		"sentinel failover-timeout " + master + " 3000", "sentinel parallel-syncs " + master + " 1",
	}
	for _, r := range c.Watches.Replicas {
		lines = append(lines, "sentinel known-replica "+master+" "+pair(r))
	}
	for _, o := range c.Watches.Others {
		lines = append(lines, "sentinel known-sentinel "+master+" "+pair(o.Addr)+" "+o.ID)
	}
	return strings.Join(lines, "\n") + "\n"
}

// acquainted waits until a sentinel has a connection to every other server, and has heard from each
// replica.
func acquainted(i int, c *redis.Client) error {
	limit := time.Now().Add(patience)
	for {
		why, err := strangers(c)
		if err == nil && why == "" {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("sentinel s%d does not know all servers after %v: %s", i, patience,
				cmp.Or(why, fmt.Sprint(err)))
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// strangers says whom a sentinel has not heard from; "" if there is nobody.
func strangers(c *redis.Client) (string, error) {
	for what, all := range map[string]int{"SENTINELS": nemesis.Sentinels - 1,
		"REPLICAS": nemesis.SentinelNodes - 1} {
		list, err := c.Do(context.Background(), "SENTINEL", what, workloads.MasterName).Slice()
		if err != nil {
			return "", err
		}
		known := 0
		for _, x := range list {
			words := fmt.Sprint(x)
			if !strings.Contains(words, "disconnected") && (what == "SENTINELS" ||
				strings.Contains(words, "master-link-status ok")) {
				known++
			}
		}
		if known < all {
			return fmt.Sprintf("%d of %d %s", known, all, strings.ToLower(what)), nil
		}
	}
	return "", nil
}

// alarm makes the sentinels watch closely from now on, or be patient again.
func (w *Environment) alarm(close bool) error {
	d := patientAfter
	if close {
		d = downAfter
	}
	w.election.mu.Lock()
	defer w.election.mu.Unlock()
	if len(w.sentinels) == 0 || w.election.near == close {
		return nil
	}
	w.election.near = close
	var all sync.WaitGroup
	errs := make([]error, len(w.sentinels))
	for i, c := range w.sentinels {
		all.Go(func() {
			errs[i] = c.Do(context.Background(), "SENTINEL", "SET", workloads.MasterName,
				"down-after-milliseconds", d.Milliseconds()).Err()
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
