package rules

import (
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// elsewhere reports whether a fault killed a server that had not granted a hold: one that another
// server had replaced before.
func (c aims) elsewhere(f record.Fault, h *record.Hold) bool {
	_, client := f.Client()
	if f.Action != nemesis.KillNode || client || c.quorums().independent() {
		return false
	}
	node := h.Node
	if g := c.trace.GrantOf(h); node == "" && g != nil {
		node = g.Node
	}
	return node != "" && node != f.Target
}

// withheld counts the grants of a server that the lock gave back before the fault struck it,
// because too few replicas had them (WAIT).
func (c aims) withheld(f record.Fault) (n int) {
	for i := range c.trace.Commands {
		m := &c.trace.Commands[i]
		if m.Node == f.Target && m.Recv <= f.From && unconfirmed(m) {
			n++
		}
	}
	return n
}

// unconfirmed reports whether a command was answered that fewer replicas than it asks for have the
// writes of its client.
func unconfirmed(m *history.Command) bool {
	if len(m.Args) < 2 || !strings.EqualFold(m.Args[0], "WAIT") {
		return false
	}
	wanted, err := strconv.Atoi(m.Args[1])
	had, notNumber := strconv.Atoi(m.Reply)
	return err == nil && notNumber == nil && had < wanted
}
