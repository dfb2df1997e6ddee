package tour

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Race is the story of P1, P2 and P3.
const Race = "p1p2p3"

// Roles says which client of a run is P1, P2 and P3. It returns "" if the run does not tell.
func Roles(h *history.History, v *checker.Verdict) string {
	worst, found := v.Worst()
	dead := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Type == history.Kill })
	if !found || worst.Witness == nil || dead < 0 {
		return ""
	}
	commands, holds := worst.Witness.Commands, worst.Witness.Holds
	i := slices.IndexFunc(commands, func(c checker.WitnessCommand) bool {
		return c.Kind == verdict.ForeignDelete
	})
	if i < 0 {
		return ""
	}
	p1, p3 := h.Events[dead].Process, commands[i].Process
	j := slices.IndexFunc(holds, func(x checker.Hold) bool { return x.Process != p3 })
	if j < 0 || holds[j].Process == p1 || p3 == p1 {
		return ""
	}
	entered := slices.IndexFunc(holds, func(x checker.Hold) bool {
		return x.Process != holds[j].Process
	})
	if entered >= 0 && holds[entered].Process != p3 {
		return fmt.Sprintf("Here P1 is client %d and P2 is client %d. Two clients play P3: client %d "+
			"deletes the key of P2, and client %d gets the lock.", p1, holds[j].Process, p3,
			holds[entered].Process)
	}
	return fmt.Sprintf("Here P1 is client %d, P2 is client %d, and P3 is client %d.", p1,
		holds[j].Process, p3)
}
