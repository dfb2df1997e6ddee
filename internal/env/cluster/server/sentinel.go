package server

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// PatientAfter is how long a master must be silent before a sentinel, or another node of a Redis
// Cluster, gives it up while nothing is done to the servers.
const PatientAfter = 10 * time.Minute

// Sentinel is a sentinel with its initial configuration.
type Sentinel struct {
	Redis

	Master   string   // host:port of the master
	Replicas []string // public addresses
	Self     Peer     // how others know it
	Others   []Peer   // the other sentinels
}

// Peer is a sentinel as others know it.
type Peer struct{ Addr, ID string }

// SaysReady and Command implement Kind.
func (Sentinel) SaysReady(_ NodeConfig, line string) bool {
	return strings.Contains(line, " +monitor master ")
}

func (s Sentinel) Command(c NodeConfig, file string) (args []string, text string) {
	pair := func(addr string) string { return strings.Replace(addr, ":", " ", 1) }
	host, port, _ := net.SplitHostPort(s.Self.Addr)
	master := workloads.MasterName
	lines := []string{
		"bind " + c.Host, "port " + strconv.Itoa(c.Port), "dir " + c.Dir, "protected-mode no",
		"sentinel myid " + s.Self.ID, "sentinel announce-ip " + host, "sentinel announce-port " +
			port,
		fmt.Sprintf("sentinel monitor %s %s 2", master, pair(s.Master)),
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", master, PatientAfter.Milliseconds()),
		"sentinel failover-timeout " + master + " 3000", "sentinel parallel-syncs " + master + " 1",
	}
	for _, r := range s.Replicas {
		lines = append(lines, "sentinel known-replica "+master+" "+pair(r))
	}
	for _, o := range s.Others {
		lines = append(lines, "sentinel known-sentinel "+master+" "+pair(o.Addr)+" "+o.ID)
	}
	return []string{file, "--sentinel"}, strings.Join(lines, "\n") + "\n"
}
