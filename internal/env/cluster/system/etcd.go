package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// etcd is the program.
var etcd = program{"etcd", []string{"etcd"}, "apt-get install etcd-server"}

// Etcd is a member of an etcd cluster, of one by default.
type Etcd struct {
	program
	all []server.Fellow // members of the cluster, or empty for a single server
}

// Probe implements server.Probed: the answer needs the disk, and a leader.
func (Etcd) Probe() string { return "GET /health HTTP/1.0\r\n\r\n" }

// Leaderless implements server.Electing: a member calls itself unhealthy if its leader did not
// confirm a read within a second. The status does not say whether there was a leader.
func (Etcd) Leaderless(answer string) bool { return strings.HasPrefix(answer, "HTTP/1.0 503 ") }

// Command implements server.Kind. The shortest lease is one and a half election time-outs, in whole
// seconds; with the default time-out of a second that would be 2 s.
func (e Etcd) Command(c server.NodeConfig, _ string) (args []string, text string) {
	listen := peer(c.Host, c.Port)
	advertise, cluster := listen, []string{c.Name + "=" + listen}
	if len(e.all) > 0 {
		cluster = nil
	}
	for _, m := range e.all {
		way := peer(m.Ways[m.Name], m.Port)
		if cluster = append(cluster, m.Name+"="+way); m.Name == c.Name {
			advertise = way
		}
	}
	return []string{"--name", c.Name, "--data-dir", c.Dir, "--logger", "zap",
		"--listen-client-urls", "http://" + c.OwnAddr(),
		"--advertise-client-urls", "http://" + c.OwnAddr(),
		"--listen-peer-urls", listen, "--initial-advertise-peer-urls", advertise,
		"--initial-cluster", strings.Join(cluster, ","), "--initial-cluster-state", "new",
		"--heartbeat-interval", "50", "--election-timeout", "500"}, ""
}

// peer returns the address at which other members reach a member.
func peer(host string, port int) string {
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port+peerPort))
}

// peerPort is the distance of the port for servers from the port for clients.
const peerPort = 10_000

// PeerPorts implements server.Gatherer.
func (Etcd) PeerPorts() []int { return []int{peerPort} }

// SeparateViews implements server.Gatherer: all members have to agree on the addresses of all.
func (Etcd) SeparateViews() bool { return false }

// WrapConn, Member and Leads implement server.Gatherer.
func (Etcd) WrapConn(_ int, there net.Conn) net.Conn         { return there }
func (e Etcd) Member(all []server.Fellow, _ int) server.Kind { return Etcd{e.program, all} }
func (Etcd) Leads(line string) bool {
	return strings.Contains(line, " became leader at term ")
}

// SaysReady implements server.Kind: it has a leader, and serves clients.
func (Etcd) SaysReady(_ server.NodeConfig, line string) bool {
	return strings.Contains(line, "serving client traffic")
}

// Operator implements server.Kind.
func (e Etcd) Operator(c server.NodeConfig) server.Operator {
	return etcdMember{"http://" + c.Addr(), e.all, &http.Client{Timeout: server.AdminTimeout}}
}

// etcdMember asks a member by HTTP, so that only adapters need the client library of etcd.
type etcdMember struct {
	url string
	all []server.Fellow
	*http.Client
}

// Version implements server.Operator.
func (m etcdMember) Version() (string, error) {
	s, err := m.status()
	return s.Version, err
}

// Woken returns how many events the member has sent so far to clients that watch a key.
func (m etcdMember) Woken() (int64, error) {
	r, err := m.Get(m.url + "/metrics")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	return metric(string(text), "etcd_debugging_mvcc_events_total")
}

// Close implements server.Operator.
func (m etcdMember) Close() error {
	m.CloseIdleConnections()
	return nil
}

// memberStatus is the status that a member reports.
type memberStatus struct {
	Header struct {
		Member string `json:"member_id"`
	}
	Version string
	Leader  string
}

// Leads reports whether the member leads the others.
func (m etcdMember) Leads() (bool, error) {
	s, err := m.status()
	return err == nil && s.Leader == s.Header.Member, err
}

// SwitchOver makes the member the leader. It asks the present leader, the only one that can hand
// over.
func (m etcdMember) SwitchOver() error {
	to, err := m.status()
	if err != nil {
		return err
	}
	for _, f := range m.all {
		other := m
		other.url = "http://" + net.JoinHostPort(f.Host, strconv.Itoa(f.Port))
		if leads, err := other.Leads(); err == nil && leads {
			return other.post("maintenance/transfer-leadership",
				map[string]string{"targetID": to.Header.Member}, new(struct{}))
		}
	}
	return errors.New("no member of the cluster leads")
}

func (m etcdMember) status() (s memberStatus, err error) {
	return s, m.post("maintenance/status", struct{}{}, &s)
}

func (m etcdMember) post(path string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	r, err := m.Post(m.url+"/v3/"+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, r.Status)
	}
	return json.NewDecoder(r.Body).Decode(answer)
}
