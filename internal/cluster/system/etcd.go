package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/cluster/server"
)

// Etcd is a member of an etcd cluster, of one by default.
type Etcd struct {
	all []server.NodeConfig // of the cluster; empty: it is alone
}

// Name is server.Kind.
func (Etcd) Name() string { return "etcd" }

// Find is server.Kind.
func (Etcd) Find() (string, error) { return installed("etcd", "apt-get install etcd-server") }

// Unprivileged is server.Unprivileged.
func (Etcd) Unprivileged() {}

// Command is server.Kind. The shortest lease is one and a half election time-outs, in whole
// seconds; with the default time-out of a second that would be 2 s.
func (e Etcd) Command(c server.NodeConfig, _ string) (args []string, text string) {
	var cluster []string
	for _, m := range append(e.all, c)[:max(len(e.all), 1)] {
		cluster = append(cluster, m.Name+"="+peer(m))
	}
	return []string{"--name", c.Name, "--data-dir", c.Dir, "--logger", "zap",
		"--listen-client-urls", "http://" + c.Own(), "--advertise-client-urls", "http://" + c.Own(),
		"--listen-peer-urls", peer(c), "--initial-advertise-peer-urls", peer(c),
		"--initial-cluster", strings.Join(cluster, ","), "--initial-cluster-state", "new",
		"--heartbeat-interval", "50", "--election-timeout", "500"}, ""
}

// peer is the address at which other members reach one.
func peer(c server.NodeConfig) string {
	return "http://" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port+peerPorts))
}

// peerPorts is how far the ports between servers are from those for clients.
const peerPorts = 10_000

// SaysReady is server.Kind: it has a leader, and serves clients.
func (Etcd) SaysReady(_ server.NodeConfig, line string) bool {
	return strings.Contains(line, "serving client traffic")
}

// Operator is server.Kind.
func (Etcd) Operator(c server.NodeConfig) server.Operator {
	return etcdMember{"http://" + c.Addr(), &http.Client{Timeout: server.AdminTimeout}}
}

// etcdMember is asked by HTTP, so that the client of etcd stays with the adapters.
type etcdMember struct {
	url string
	*http.Client
}

// Version is server.Operator.
func (m etcdMember) Version() (string, error) {
	s, err := m.status()
	return s.Version, err
}

// Close is server.Operator.
func (m etcdMember) Close() error {
	m.CloseIdleConnections()
	return nil
}

// memberStatus is what a member says of itself.
type memberStatus struct {
	Header struct {
		Member string `json:"member_id"`
	}
	Version string
	Leader  string
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
