package system

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// ZooKeeper is a single ZooKeeper server or a member of an ensemble.
type ZooKeeper struct {
	program
	all []server.Fellow // members of the ensemble, or empty for a single server
	at  int
}

// The archives of Debian's packages. The first names all others that it needs, except for the
// second, which writes the log.
const (
	zooJar = "/usr/share/java/zookeeper.jar"
	logJar = "/usr/share/java/slf4j-simple.jar"
)

// zookeeper is the program.
var zookeeper = program{"zookeeper", []string{"java", zooJar, logJar},
	"apt-get install zookeeper libslf4j-java"}

// Probe implements server.Probed.
func (ZooKeeper) Probe() string { return "srvr" }

// Find implements server.Kind. A machine may have Java without ZooKeeper.
func (z ZooKeeper) Find() (string, error) {
	for _, jar := range []string{zooJar, logJar} {
		if _, err := os.Stat(jar); err != nil {
			return "", fmt.Errorf("zookeeper is not installed: `%s`", z.bring)
		}
	}
	return z.program.Find()
}

// Command implements server.Kind. A session lasts at least two ticks.
func (z ZooKeeper) Command(c server.NodeConfig, file string) (args []string, text string) {
	args = []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m"}
	text = fmt.Sprintf("tickTime=200\ndataDir=%s/data\nclientPort=%d\nclientPortAddress=%s\n"+
		"admin.enableServer=false\nmaxClientCnxns=0\nmaxSessionTimeout=600000\nforceSync=no\n"+
		"4lw.commands.whitelist=srvr,mntr\n", c.Dir, c.Port, c.Host)
	if len(z.all) > 0 {
		args = append(args, "-Djava.net.preferIPv4Stack=true", "-Djdk.net.hosts.file="+hostsFile(c))
		text += z.memberLines()
	}
	return append(args, "-cp", zooJar+":"+logJar,
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", file), text
}

// SaysReady implements server.Kind. It looks for the last line of a start, which a failed start
// does not print, or for a member, for the line that says that it leads or follows.
func (z ZooKeeper) SaysReady(_ server.NodeConfig, line string) bool {
	if len(z.all) > 0 {
		return strings.Contains(line, "Peer state changed: leading - broadcast") ||
			strings.Contains(line, "Peer state changed: following - broadcast")
	}
	return strings.Contains(line, "ContainerManager - Using checkIntervalMs")
}

// Operator implements server.Kind.
func (ZooKeeper) Operator(c server.NodeConfig) server.Operator { return zooServer(c.Addr()) }

// zooServer is the address of a server. The server answers commands of four letters.
type zooServer string

// Version implements server.Operator: "Zookeeper version: 3.8.0-..., built on ...".
func (s zooServer) Version() (string, error) {
	text, err := s.ask("srvr")
	version, _, _ := strings.Cut(strings.TrimPrefix(text, "Zookeeper version: "), "-")
	return version, err
}

// Woken returns the server's count of watches that have told their client that a node was deleted.
func (s zooServer) Woken() (int64, error) {
	text, err := s.ask("mntr")
	if err != nil {
		return 0, err
	}
	return metric(text, "zk_sum_node_deleted_watch_count")
}

// ask returns the answer to a command of four letters.
func (s zooServer) ask(command string) (string, error) {
	c, err := net.DialTimeout("tcp", string(s), server.AdminTimeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(server.AdminTimeout))
	if _, err := c.Write([]byte(command)); err != nil {
		return "", err
	}
	text, err := io.ReadAll(c)
	return string(text), err
}

// Leads reports whether the server leads its ensemble.
func (s zooServer) Leads() (bool, error) {
	text, err := s.ask("srvr")
	return strings.Contains(text, "Mode: leader"), err
}

// Close implements server.Operator.
func (zooServer) Close() error { return nil }
