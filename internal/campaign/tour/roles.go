package tour

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Race is the story of P1, P2 and P3.
const Race = "p1p2p3"

// Cast says which clients of a run play the roles of its story. It is empty if the story has no
// roles or the run does not tell.
type Cast struct {
	Roles map[int]string // of clients: P1, P2, P3
	Dead  int            // the client that is killed, if there are roles
	Said  string         // all of it in words
}

// CastOf finds who plays P1, P2 and P3 in a run of a story. P1 is killed, P3 deletes the key of P2.
func CastOf(story string, h *history.History, trace []history.Command,
	v *checker.Verdict) (c Cast) {
	worst, found := v.Worst()
	dead := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Type == history.Kill })
	if story != Race || !found || worst.Witness == nil || dead < 0 {
		return c
	}
	commands, holds := worst.Witness.Commands, worst.Witness.Holds
	i := slices.IndexFunc(commands, func(c checker.WitnessCommand) bool {
		return c.Kind == verdict.ForeignDelete
	})
	if i < 0 {
		return c
	}
	p1, p3 := h.Events[dead].Process, commands[i].Process
	j := slices.IndexFunc(holds, func(x checker.Hold) bool { return x.Process != p3 })
	if j < 0 || holds[j].Process == p1 || p3 == p1 {
		return c
	}
	c = Cast{Roles: map[int]string{p1: "P1", holds[j].Process: "P2", p3: "P3"}, Dead: p1}
	c.say(holds, j, p3)
	for _, m := range trace {
		if c.Roles[m.Process] == "" && m.Sent > h.Events[dead].T && m.Sent < holds[j].From &&
			len(m.Args) > 0 && strings.EqualFold(m.Args[0], "del") && m.Reply == "1" {
			c.Said += fmt.Sprintf(" A fourth client, client %d, deleted the key of P1.", m.Process)
			break
		}
	}
	return c
}

// say puts the roles into words. The hold j is P2's; P3 need not be the client that gets in then.
func (c *Cast) say(holds []checker.Hold, j, p3 int) {
	p2 := holds[j].Process
	c.Said = fmt.Sprintf("Here P1 is client %d, P2 is client %d, and P3 is client %d.", c.Dead, p2, p3)
	in := slices.IndexFunc(holds, func(x checker.Hold) bool { return x.Process != p2 })
	if in < 0 || holds[in].Process == p3 {
		return
	}
	c.Roles[holds[in].Process] = "P3"
	c.Said = fmt.Sprintf("Here P1 is client %d and P2 is client %d. Two clients play P3: client %d "+
		"deletes the key of P2, and client %d gets the lock.", c.Dead, p2, p3, holds[in].Process)
}

var named = regexp.MustCompile(`\b[Cc]lient (\d+)\b`)

// AddRoles puts the role beside the first mention of each client in a text.
func (c Cast) AddRoles(text string) string {
	seen := map[string]bool{}
	return named.ReplaceAllStringFunc(text, func(client string) string {
		digits := client[len("client "):]
		n, _ := strconv.Atoi(digits)
		if seen[digits] || c.Roles[n] == "" {
			return client
		}
		seen[digits] = true
		return client + " (" + c.Roles[n] + ")"
	})
}
