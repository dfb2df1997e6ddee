package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// sentinelLayout has a master, two replicas and three sentinels. Each server has one public
// address, the address of its proxy "s>nX" or "s>sX". Replicas and sentinels know no other address.
// So a cut of this link separates the server from all of them. It does not separate the server from
// clients, since these have links of their own (docs/running.md, Sentinel layout).
//
// The harness tells the sentinels of each other and of the replicas, since finding out takes them
// two seconds. The sentinels are patient until a fault hits a server, and again when they have
// promoted a replica. Otherwise a machine that stalls for a second would make them elect, or elect
// twice.
type sentinelLayout struct{ site }

// start starts the replicas and then the sentinels, and returns when all know of each other.
func (l sentinelLayout) start() error {
	first := l.nodes.all[0]
	public, err := l.links.publish(first.NodeConfig)
	if err != nil {
		return err
	}
	master := redisOf(first)
	if err := master.Announce(public); err != nil {
		return err
	}
	for i := 1; i < nemesis.SentinelNodes; i++ {
		if err := l.startAnnounced(i, public); err != nil {
			return err
		}
	}
	if err := ready(l.nodes.all[1:]); err != nil {
		return err
	}
	if err := master.Barrier(nemesis.SentinelNodes - 1); err != nil {
		return err
	}
	return l.startSentinels(public)
}

// startAnnounced starts a replica that announces its public address only.
func (l sentinelLayout) startAnnounced(i int, master string) error {
	c, err := l.describe(i, nodeName(i), master)
	if err != nil {
		return err
	}
	public, err := l.links.publish(c)
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(public)
	// sentinels promote n1 if both know as much
	c.Config = append(slices.Clip(c.Config), "replica-announce-ip", host,
		"replica-announce-port", port, "replica-priority", strconv.Itoa(10*i))
	n, err := l.launch(c)
	if err == nil {
		l.nodes.add(n, l.nodes.all[0])
	}
	return err
}

// startSentinels starts the sentinels in parallel, and returns when each is connected to all others
// and to the servers.
func (l sentinelLayout) startSentinels(master string) error {
	configs, peers, err := l.describeSentinels()
	if err != nil {
		return err
	}
	for i, c := range configs {
		watch := server.Sentinel{Master: master, Self: peers[i],
			Others: slices.Delete(slices.Clone(peers), i, i+1)}
		for _, addr := range slices.Sorted(maps.Keys(l.links.names)) {
			if addr != master {
				watch.Replicas = append(watch.Replicas, addr)
			}
		}
		c.Kind = watch
		n, err := l.launch(c)
		if err != nil {
			return err
		}
		l.nodes.sentinels = append(l.nodes.sentinels, n)
	}
	if err := ready(l.nodes.sentinels); err != nil {
		return err
	}
	for _, n := range l.nodes.sentinels {
		if err := acquainted(n); err != nil {
			return err
		}
	}
	return nil
}

// describeSentinels gives each sentinel its address, its public address and its identity.
func (l sentinelLayout) describeSentinels() (configs []server.NodeConfig, peers []server.Peer,
	err error) {
	for i := range nemesis.Sentinels {
		c, err := l.describe(nemesis.SentinelNodes+i, "s"+strconv.Itoa(i), "")
		if err != nil {
			return nil, nil, err
		}
		c.Clock, c.Config, c.Said = nil, nil, l.observe
		public, err := l.links.proxies.LinkServers("s>"+c.Name, c.OwnAddr())
		if err != nil {
			return nil, nil, err
		}
		l.links.peers = append(l.links.peers, public)
		configs = append(configs, c)
		peers = append(peers, server.Peer{Addr: public, ID: randomID()})
	}
	return configs, peers, nil
}

// randomID returns an identity as Redis draws its own.
func randomID() string {
	id := make([]byte, 20)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// observe reads in the messages of sentinels that a replica is promoted, and reports it: no step of
// a scenario promotes here. A promotion starts when a sentinel has sent REPLICAOF NO ONE, and is
// over when the first sentinel has told its clients of the new master.
func (l sentinelLayout) observe(line string) {
	if _, rest, ok := strings.Cut(line, "+failover-state-wait-promotion slave "); ok {
		words := strings.Fields(rest) // address as a name, host, port, …
		if len(words) >= 3 {
			l.election.promoted(history.PhaseFrom, l.links.names[net.JoinHostPort(words[1], words[2])])
		}
	}
	if _, rest, ok := strings.Cut(line, "+switch-master "); ok {
		words := strings.Fields(rest) // name, old host, old port, new host, new port
		if len(words) >= 5 {
			l.election.promoted(history.PhaseTo, l.links.names[net.JoinHostPort(words[3], words[4])])
			l.election.relax()
		}
	}
}

// acquainted waits until a sentinel has a connection to every other server, and has heard from each
// replica.
func acquainted(n *node) error {
	return n.await(server.Patience, "sentinel %s does not know all servers after %v: %s",
		func() string { return strangers(redisOf(n)) })
}

// strangers names the servers that a sentinel has not heard from, or the reason why it does not
// tell. It returns "" if the sentinel knows all.
func strangers(c server.Admin) string {
	for what, all := range map[string]int{"SENTINELS": nemesis.Sentinels - 1,
		"REPLICAS": nemesis.SentinelNodes - 1} {
		list, err := c.Do(context.Background(), "SENTINEL", what, workloads.MasterName).Slice()
		if err != nil {
			return err.Error()
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
			return fmt.Sprintf("%d of %d %s", known, all, strings.ToLower(what))
		}
	}
	return ""
}
