package cluster

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// A world with Sentinel has a master, two replicas and three sentinels. Each node has one public address, that of its proxy
// "s>nX": replicas and sentinels know no other, so that cutting that link takes the node away from all of them, while clients have
// ways of their own to it (REALFAULT.md §4).
const (
	sentinelNodes = 3
	sentinels     = 3
	// downAfter is how long a master must be silent before a sentinel gives it up; Redis checks ten times a second.
	downAfterMS = 1000
)

// startSentinels starts the replicas and then the sentinels, and returns when all know of each other.
func (w *World) startSentinels() error {
	public, err := w.publish(w.nodes[0].NodeConfig)
	if err != nil {
		return err
	}
	c := admin(w.nodes[0].Addr())
	defer c.Close()
	if err := announce(c, public); err != nil {
		return err
	}
	for i := 1; i < sentinelNodes; i++ {
		if err := w.startAnnounced(i, public); err != nil {
			return err
		}
	}
	for _, n := range w.nodes[1:] {
		if err := n.Ready(); err != nil {
			return err
		}
	}
	if err := barrier(c, sentinelNodes-1); err != nil {
		return err
	}
	return w.startWatchers(public)
}

// publish makes the public address of a node.
func (w *World) publish(c NodeConfig) (string, error) {
	addr, err := w.linkServers("s>"+c.Name, net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	if err == nil {
		w.announced[addr] = c.Name
	}
	return addr, err
}

// startAnnounced starts a replica that tells everybody its public address only.
func (w *World) startAnnounced(i int, master string) error {
	c, err := w.node(i, master)
	if err != nil {
		return err
	}
	public, err := w.publish(c)
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(public)
	c.Config = append(c.Config[:len(c.Config):len(c.Config)], "replica-announce-ip", host, "replica-announce-port", port)
	n, err := w.launch(c)
	if err == nil {
		w.nodes = append(w.nodes, n)
	}
	return err
}

// startWatchers starts the sentinels side by side.
func (w *World) startWatchers(master string) error {
	for i := range sentinels {
		c, err := w.node(sentinelNodes+i, "")
		if err != nil {
			return err
		}
		c.Name = "s" + strconv.Itoa(i)
		c.Dir, c.Log, c.Watches, c.Config = filepath.Join(w.scratch, c.Name), w.log(c.Name), master, nil
		if i == 0 {
			c.Said = w.overheard
		}
		n, err := w.launch(c)
		if err != nil {
			return err
		}
		w.watchers = append(w.watchers, n)
	}
	for _, n := range w.watchers {
		if err := n.Ready(); err != nil {
			return err
		}
		w.sentinelAddrs = append(w.sentinelAddrs, n.Addr())
	}
	return nil
}

// overheard learns from a sentinel's words that a replica was promoted, and reports it: nobody else in this world promotes.
func (w *World) overheard(line string) {
	_, rest, ok := strings.Cut(line, "+switch-master ")
	words := strings.Fields(rest) // name, old host, old port, new host, new port
	if !ok || len(words) < 5 {
		return
	}
	node := w.announced[net.JoinHostPort(words[3], words[4])]
	for _, phase := range []string{history.PhaseFrom, history.PhaseTo} {
		w.tell(workloads.Report{Process: history.Harness, Event: &history.Event{
			Type: history.Fault, T: Monotonic(), Process: history.Harness, F: nemesis.Promote, Phase: phase, Target: node,
		}})
	}
}

// tell reports something that no client said, unless the world is closing.
func (w *World) tell(r workloads.Report) {
	select {
	case w.inbox <- r:
	case <-w.ended:
	}
}

// discovered reports whether a sentinel has heard of all replicas and of the other sentinels.
func (l *Life) discovered(line string) bool {
	if strings.Contains(line, " +slave ") || strings.Contains(line, " +sentinel ") {
		l.heard++
	}
	return l.heard == sentinelNodes-1+sentinels-1
}
