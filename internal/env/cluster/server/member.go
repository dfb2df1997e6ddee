package server

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Member is a node of a Redis Cluster. When it starts, its file of nodes describes the cluster, so
// that it need not wait for a meeting or gossip.
type Member struct {
	Redis

	ID        string
	Data, Bus string // its addresses, host:port, for clients and for other nodes
	Of        string // the ID of its master, or "" if it is a master
	First     int    // of its slots, for a master
	Last      int
	All       *[]Member // of the cluster, this one as well
}

// Prepare implements Preparer: the file is there already if the node is started again with it.
func (m Member) Prepare(c NodeConfig) error {
	file := filepath.Join(c.Dir, "nodes.conf")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	var text strings.Builder
	for i, other := range *m.All {
		text.WriteString(other.line(i+1, other.ID == m.ID))
	}
	fmt.Fprintf(&text, "vars currentEpoch %d lastVoteEpoch 0\n", len(*m.All))
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func (m Member) line(epoch int, myself bool) string {
	_, bus, _ := net.SplitHostPort(m.Bus)
	flags, slots := "master", fmt.Sprintf(" %d-%d", m.First, m.Last)
	if m.Of != "" {
		flags, slots = "slave", ""
	}
	if myself {
		flags = "myself," + flags
	}
	return fmt.Sprintf("%s %s@%s %s %s 0 0 %d connected%s\n", m.ID, m.Data, bus, flags,
		cmp.Or(m.Of, "-"), epoch, slots)
}

// Command implements Kind. Others know the node by addresses at which each of them has a way of its
// own, told by where it connects from. A replica is a candidate however long it has heard nothing.
func (m Member) Command(c NodeConfig, file string) (args []string, text string) {
	args, text = m.Redis.Command(c, file)
	host, data, _ := net.SplitHostPort(m.Data)
	_, bus, _ := net.SplitHostPort(m.Bus)
	return append(args, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
		"--cluster-node-timeout", strconv.FormatInt(PatientAfter.Milliseconds(), 10),
		"--cluster-announce-ip", host, "--cluster-announce-port", data,
		"--cluster-announce-bus-port", bus, "--bind-source-addr", c.Host,
		"--cluster-replica-validity-factor", "0", "--cluster-require-full-coverage", "no",
		"--cluster-allow-replica-migration", "no"), text
}

// SaysReady and Operator implement Kind.
func (m Member) SaysReady(c NodeConfig, line string) bool {
	return Redis{}.SaysReady(NodeConfig{}, line)
}

func (m Member) Operator(c NodeConfig) Operator { return MemberAdmin{c.Dial(), m} }

// MemberAdmin is our own connection to a node of a cluster.
type MemberAdmin struct {
	Admin
	member Member
}

// Barrier is Admin's with a key that the node has.
func (a MemberAdmin) Barrier(replicas int) error {
	for i := 0; ; i++ {
		key := fmt.Sprintf("lockbench:barrier:%d", i)
		if s := Slot(key); a.member.First <= s && s <= a.member.Last {
			return a.barrier(key, replicas)
		}
	}
}

// Agrees returns the reason why a node is not ready yet, or "".
func (a MemberAdmin) Agrees() string {
	ctx, cancel := background()
	defer cancel()
	state, err := a.Do(ctx, "CLUSTER", "INFO").Text()
	if err != nil {
		return err.Error()
	}
	if s := Field(state, "cluster_state"); s != "ok" {
		return "its cluster_state is " + s
	}
	if a.member.Of == "" {
		return ""
	}
	info, err := a.Info(ctx, "replication").Result()
	if err != nil {
		return err.Error()
	}
	if s := Field(info, "master_link_status"); s != "up" {
		return "its link to the master is " + s
	}
	return ""
}

// Watch sets for how long another node may be silent.
func (a MemberAdmin) Watch(patience time.Duration) error {
	return a.order("CONFIG", "SET", "cluster-node-timeout", patience.Milliseconds())
}

// SwitchOver tells a replica to take over with its master's consent.
func (a MemberAdmin) SwitchOver() error { return a.order("CLUSTER", "FAILOVER") }

// Give moves the slot of a key, with all keys in it, to another master at an address, while clients
// go on. First, this node sends clients to the other one for keys that it lacks. Then the keys move
// one by one. At last the other node owns the slot.
func (a MemberAdmin) Give(key string, to MemberAdmin, host string, port int) error {
	ctx, cancel := background()
	defer cancel()
	slot := Slot(key)
	set := func(at MemberAdmin, how string, node MemberAdmin) error {
		return at.Do(ctx, "CLUSTER", "SETSLOT", slot, how, node.member.ID).Err()
	}
	if err := set(to, "IMPORTING", a); err != nil {
		return err
	}
	if err := set(a, "MIGRATING", to); err != nil {
		return err
	}
	for {
		keys, err := a.ClusterGetKeysInSlot(ctx, slot, 100).Result()
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		move := []any{"MIGRATE", host, port, "", 0, AdminTimeout.Milliseconds(), "KEYS"}
		for _, k := range keys {
			move = append(move, k)
		}
		if err := a.Do(ctx, move...).Err(); err != nil {
			return err
		}
	}
	if err := set(to, "NODE", to); err != nil {
		return err
	}
	return set(a, "NODE", to)
}

// Serves reports whether the node serves a key.
func (a MemberAdmin) Serves(key string) bool {
	ctx, cancel := background()
	defer cancel()
	return a.Exists(ctx, key).Err() == nil
}

// slots is the number of slots in a cluster.
const slots = 16384

// Slot returns the slot of a key: the CRC16 of the key, or of the part between its first { and the
// next }.
func Slot(key string) int {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		if length := strings.IndexByte(key[open+1:], '}'); length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	crc := uint16(0)
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			top := crc&0x8000 != 0
			if crc <<= 1; top {
				crc ^= 0x1021
			}
		}
	}
	return int(crc) % slots
}

// Slots divides the slots among masters, so that the first of them has the slot of a key.
func Slots(masters int, key string) (ranges [][2]int) {
	size := slots / masters
	for i := range masters {
		last := (i+1)*size - 1
		if i == masters-1 {
			last = slots - 1
		}
		ranges = append(ranges, [2]int{i * size, last})
	}
	at := min(Slot(key)/size, masters-1)
	ranges[0], ranges[at] = ranges[at], ranges[0]
	return ranges
}
