package system

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// The address of a member of a ZooKeeper ensemble is a name, which each server looks up in a hosts
// file of its own. The file has the address at which the server itself listens, and the address of
// its link to each other member. For an election, a member also sends others its own address as a
// number, and they would connect back around the links. So introduction removes that number.

// zooPorts are the distances of the ports for a leader's followers and for elections.
var zooPorts = []int{10_000, electionPort}

const electionPort = 10_001

// PeerPorts and SeparateViews implement server.Gatherer.
func (ZooKeeper) PeerPorts() []int    { return zooPorts }
func (ZooKeeper) SeparateViews() bool { return true }

// WrapConn implements server.Gatherer. A connection for elections then starts as with servers
// before version 3.5, without the address of the server that connects.
func (ZooKeeper) WrapConn(k int, there net.Conn) net.Conn {
	if zooPorts[k] == electionPort {
		return &introduction{Conn: there}
	}
	return there
}

// introduction is a connection for elections. It starts with a version below zero, the number of
// the server, the length of its address and the address (QuorumCnxManager.InitialMessage), or with
// the number alone.
type introduction struct {
	net.Conn
	begun []byte
	done  bool
}

// Write removes everything from the start of the connection except the number.
func (c *introduction) Write(p []byte) (int, error) {
	if c.done {
		return c.Conn.Write(p)
	}
	const number, long = 8, 8
	const address = long + number + 4
	if c.begun = append(c.begun, p...); len(c.begun) < long {
		return len(p), nil
	}
	rest := c.begun
	if int64(binary.BigEndian.Uint64(c.begun)) < 0 {
		if len(c.begun) < address {
			return len(p), nil
		}
		whole := address + int(binary.BigEndian.Uint32(c.begun[address-4:]))
		if len(c.begun) < whole {
			return len(p), nil
		}
		rest = append(slices.Clone(c.begun[long:long+number]), c.begun[whole:]...)
	}
	c.done, c.begun = true, nil
	_, err := c.Conn.Write(rest)
	return len(p), err
}

// Member implements server.Gatherer. Servers that know as much as each other elect the one with the
// highest number. The first member has that number.
func (z ZooKeeper) Member(all []server.Fellow, i int) server.Kind {
	return ZooKeeper{z.program, all, i}
}

// Leads implements server.Gatherer.
func (ZooKeeper) Leads(line string) bool {
	return strings.Contains(line, "Peer state changed: leading - broadcast")
}

func (z ZooKeeper) id(i int) int { return len(z.all) - i }

// memberLines returns the lines of the configuration that name all members. A follower has three
// seconds to catch up with the leader, and may be silent for one second.
func (z ZooKeeper) memberLines() string {
	text := "initLimit=15\nsyncLimit=5\n"
	for i, m := range z.all {
		text += fmt.Sprintf("server.%d=%s:%d:%d\n", z.id(i), m.Name, m.Port+zooPorts[0],
			m.Port+zooPorts[1])
	}
	return text
}

// hostsFile returns the file that a member looks names up in.
func hostsFile(c server.NodeConfig) string { return filepath.Join(c.Dir, "hosts") }

// Prepare implements server.Preparer. It writes a member's number and the addresses of all members.
func (z ZooKeeper) Prepare(c server.NodeConfig) error {
	if len(z.all) == 0 {
		return nil
	}
	var hosts strings.Builder
	for i, m := range z.all {
		at := m.Ways[c.Name]
		if i == z.at {
			at = m.Host
		}
		fmt.Fprintln(&hosts, at, m.Name)
	}
	if err := os.WriteFile(hostsFile(c), []byte(hosts.String()), 0o644); err != nil {
		return err
	}
	data := filepath.Join(c.Dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, "myid"), []byte(strconv.Itoa(z.id(z.at))), 0o644)
}
