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

// The address of a member of a ZooKeeper ensemble is a name, which each server looks up in a file
// of its own: for itself it is where it listens, for others the way that they have to it. For an
// election it also tells others its address as a number, to which they connect back: this is left
// out on the way.

// zooPorts are those for a leader's followers and for elections.
var zooPorts = []int{10_000, electionPort}

const electionPort = 10_001

// PeerPorts is server.Gatherer.
func (ZooKeeper) PeerPorts() []int { return zooPorts }

// SeparateViews is server.Gatherer.
func (ZooKeeper) SeparateViews() bool { return true }

// WrapConn is server.Gatherer: a connection for elections begins as those of servers before 3.5 do,
// without the address of the one that connects.
func (ZooKeeper) WrapConn(k int, there net.Conn) net.Conn {
	if zooPorts[k] == electionPort {
		return &introduction{Conn: there}
	}
	return there
}

// introduction is a connection for elections. It begins with a version below zero, the number of
// the server, the length of its address and the address (QuorumCnxManager.InitialMessage), or with
// the number alone.
type introduction struct {
	net.Conn
	begun []byte
	done  bool
}

// Write leaves out all of the beginning but the number.
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

// Member is server.Gatherer. Of servers that know as much, the one with the highest number is
// elected: the first has it.
func (ZooKeeper) Member(all []server.Fellow, i int) server.Kind { return ZooKeeper{all, i} }

// Leads is server.Gatherer.
func (ZooKeeper) Leads(line string) bool {
	return strings.Contains(line, "Peer state changed: leading - broadcast")
}

// id is the number of the i-th member.
func (z ZooKeeper) id(i int) int { return len(z.all) - i }

// memberLines are the lines of the configuration that name all members. A follower has three
// seconds to find its place, and may be silent for one.
func (z ZooKeeper) memberLines() string {
	text := "initLimit=15\nsyncLimit=5\n"
	for i, m := range z.all {
		text += fmt.Sprintf("server.%d=%s:%d:%d\n", z.id(i), m.Name, m.Port+zooPorts[0],
			m.Port+zooPorts[1])
	}
	return text
}

// hostsFile is where a member looks up names.
func hostsFile(c server.NodeConfig) string { return filepath.Join(c.Dir, "hosts") }

// Prepare is server.Preparer: a member's number and the addresses of all.
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
