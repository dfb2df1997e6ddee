package rules

import (
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// missesGrant reports whether a fault killed another server than the one that granted a hold, as
// after a failover.
func (c aims) missesGrant(f record.Fault, h *record.Hold) bool {
	node := h.Node
	if g := c.trace.GrantOf(h); node == "" && g != nil {
		node = g.Node
	}
	return killsServer(f) && !c.quorums().independent() && node != "" && node != f.Target
}

func killsServer(f record.Fault) bool {
	_, client := f.Client()
	return f.Action == nemesis.KillNode && !client
}

// countWithheld counts the grants of a server that no client entered on before a fault killed the
// server, because too few replicas had them (WAIT).
func (c aims) countWithheld(f record.Fault) (n int) {
	for _, m := range c.trace.Commands {
		if killsServer(f) && m.Node == f.Target && m.Recv <= f.From && isUnconfirmed(m) {
			n++
		}
	}
	return n
}

// isUnconfirmed reports whether a WAIT was answered with fewer replicas than it asked for.
func isUnconfirmed(m *history.Command) bool {
	if len(m.Args) < 2 || !strings.EqualFold(m.Args[0], "WAIT") {
		return false
	}
	wanted, err := strconv.Atoi(m.Args[1])
	had, notNumber := strconv.Atoi(m.Reply)
	return err == nil && notNumber == nil && had < wanted
}
