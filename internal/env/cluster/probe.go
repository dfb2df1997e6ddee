package cluster

import (
	"io"
	"net"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

const (
	probeEvery = 100 * time.Millisecond
	slowProbe  = 100 * time.Millisecond // an answer that takes longer is recorded
	probeLimit = 30 * time.Second
)

// probe asks a node again and again, without a proxy, and reports if it did not answer for a while:
// the commands of its clients are not recorded, so they cannot show it. A node that refuses the
// connection is dead, which a fault or guard reports. Servers without a probe are left alone.
func (o *observer) probe(n *node) {
	kind, ok := n.Kind.(server.Probed)
	if !ok {
		return
	}
	o.inbox.every(probeEvery, func() bool {
		sent := proc.Monotonic()
		answer, err := ask(n.Addr(), kind.Probe())
		if now := proc.Monotonic(); err == nil && now-sent > int64(slowProbe) {
			o.inbox.gap(n.Name, now, time.Duration(now-sent), reason(kind, answer))
		}
		return true
	})
}

// reason returns the reason that a late answer gives, or "".
func reason(kind server.Probed, answer string) history.Refusal {
	if e, ok := kind.(server.Electing); ok && e.Leaderless(answer) {
		return history.NoLeader
	}
	return ""
}

// ask asks a server, and returns the start of its answer.
func ask(addr, question string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, probeLimit)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(probeLimit)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(c, question); err != nil {
		return "", err
	}
	answer := make([]byte, 64)
	n, err := c.Read(answer)
	return string(answer[:n]), err
}
