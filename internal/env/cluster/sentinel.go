package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// An environment with Sentinel has a master, two replicas and three sentinels. Each server has one
// public address, that of its proxy "s>nX" or "s>sX": replicas and sentinels know no other, so that
// cutting that link takes the server away from all of them, while clients have links of their own
// to it (docs/environments.md, Sentinel layout).
//
// The sentinels are told of each other and of the replicas instead of finding out, which takes two
// seconds. And they are patient until a fault hits a server, and again when they have promoted a
// replica: else a machine that stalls for a second would make them elect, or elect twice.

// startSentinels starts the replicas and then the sentinels, and returns when all know of each
// other.
func (w *Environment) startSentinels() error {
	public, err := w.publish(w.nodes[0].NodeConfig)
	if err != nil {
		return err
	}
	master := redisOf(w.nodes[0])
	if err := master.Announce(public); err != nil {
		return err
	}
	for i := 1; i < nemesis.SentinelNodes; i++ {
		if err := w.startAnnounced(i, public); err != nil {
			return err
		}
	}
	if err := ready(w.nodes[1:]); err != nil {
		return err
	}
	if err := master.Barrier(nemesis.SentinelNodes - 1); err != nil {
		return err
	}
	return w.startWatchers(public)
}

// publish makes the public address of a node.
func (w *Environment) publish(c server.NodeConfig) (string, error) {
	addr, err := w.links.LinkServers("s>"+c.Name, c.Own())
	if err == nil {
		w.announced[addr] = c.Name
	}
	return addr, err
}

// startAnnounced starts a replica that announces its public address only.
func (w *Environment) startAnnounced(i int, master string) error {
	c, err := w.describe(i, nodeName(i), master)
	if err != nil {
		return err
	}
	public, err := w.publish(c)
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(public)
	// of two that know as much, n1 is promoted
	c.Config = append(c.Config[:len(c.Config):len(c.Config)], "replica-announce-ip", host,
		"replica-announce-port", port, "replica-priority", strconv.Itoa(10*i))
	n, err := w.launch(c)
	if err == nil {
		n.follows = w.nodes[0]
		w.nodes = append(w.nodes, n)
	}
	return err
}

// startWatchers starts the sentinels side by side, and returns when each is connected to all others
// and to the servers.
func (w *Environment) startWatchers(master string) error {
	nodes, peers, err := w.describeWatchers()
	if err != nil {
		return err
	}
	for i, c := range nodes {
		watch := server.Sentinel{Master: master, Self: peers[i],
			Others: slices.Delete(slices.Clone(peers), i, i+1)}
		for _, addr := range slices.Sorted(maps.Keys(w.announced)) {
			if addr != master {
				watch.Replicas = append(watch.Replicas, addr)
			}
		}
		c.Kind = watch
		n, err := w.launch(c)
		if err != nil {
			return err
		}
		w.watchers = append(w.watchers, n)
	}
	if err := ready(w.watchers); err != nil {
		return err
	}
	for _, n := range w.watchers {
		if err := acquainted(n); err != nil {
			return err
		}
	}
	return nil
}

// describeWatchers gives each sentinel its address, its public address and its identity.
func (w *Environment) describeWatchers() (nodes []server.NodeConfig, peers []server.Peer,
	err error) {
	for i := range nemesis.Sentinels {
		c, err := w.describe(nemesis.SentinelNodes+i, "s"+strconv.Itoa(i), "")
		if err != nil {
			return nil, nil, err
		}
		c.Clock, c.Config, c.Said = nil, nil, w.overheard
		public, err := w.links.LinkServers("s>"+c.Name, c.Own())
		if err != nil {
			return nil, nil, err
		}
		id := make([]byte, 20)
		rand.Read(id)
		nodes, peers = append(nodes, c), append(peers, server.Peer{
			Addr: public, ID: hex.EncodeToString(id)})
	}
	return nodes, peers, nil
}

// overheard learns from the sentinels' messages that a replica is promoted, and reports it: no step
// else in this environment promotes. It begins when one of them has sent REPLICAOF NO ONE, and is
// over when the first has told its clients of the new master.
func (w *Environment) overheard(line string) {
	if _, rest, ok := strings.Cut(line, "+failover-state-wait-promotion slave "); ok {
		words := strings.Fields(rest) // address as a name, host, port, …
		if len(words) >= 3 {
			w.promoted(history.PhaseFrom, w.announced[net.JoinHostPort(words[1], words[2])])
		}
	}
	if _, rest, ok := strings.Cut(line, "+switch-master "); ok {
		words := strings.Fields(rest) // name, old host, old port, new host, new port
		if len(words) >= 5 {
			w.promoted(history.PhaseTo, w.announced[net.JoinHostPort(words[3], words[4])])
			go func() { _ = w.alarm(false) }() // a sentinel that cannot be told may be gone
		}
	}
}

// promoted reports a phase of a promotion, once, and its begin also where the message of one
// sentinel come before those of another.
func (w *Environment) promoted(phase, node string) {
	e := &w.election
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun != node {
		e.begun = node
		w.tell(w.promotion(history.PhaseFrom, node))
	}
	if phase == history.PhaseTo && e.master != node {
		e.master = node
		w.tell(w.promotion(phase, node))
	}
}

func (w *Environment) promotion(phase, node string) workloads.Report {
	f := nemesis.Promote
	if w.cfg.Topology == nemesis.Ensemble {
		f = nemesis.Lead
	}
	return workloads.Report{Process: history.Harness, Event: &history.Event{Type: history.Fault,
		T: proc.Monotonic(), Process: history.Harness, F: f, Phase: phase, Target: node}}
}

// tell reports something that no client said, unless the environment is closing.
func (w *Environment) tell(r workloads.Report) {
	select {
	case w.inbox <- r:
	case <-w.ended:
	}
}
