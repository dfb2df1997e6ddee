package harness

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// successor names the client that was granted a lock while its first holder is still inside.
const successor = "successor"

// writeFirst changes the steps so that the successor of a late holder writes before that holder. A
// resource that checks tokens has then seen a newer one, and must refuse the late write. A holder
// is late only if it has not written yet, because it was stopped right after its grant.
func (p *Plan) writeFirst(steps []nemesis.Step) (out []nemesis.Step) {
	if p.Workload != workloads.Fenced {
		return steps
	}
	owner, waiting := "", false
	for _, s := range steps {
		switch a := s.Await; {
		case a != nil && a.Phase == nemesis.Granted && a.As != "":
			owner = a.As
		case a != nil && a.Phase == nemesis.Granted && owner != "" && a.Client == "other":
			named := *a
			named.As, s.Await, waiting = successor, &named, true
		case s.Do == nemesis.Go && s.Target == owner && waiting:
			leave := history.Duration(p.Hold.D() + 3*p.Poll.D() + 50*time.Millisecond)
			out = append(out, nemesis.Step{Do: nemesis.Go, Target: successor},
				nemesis.Step{Do: nemesis.Wait, For: leave})
			waiting = false
		}
		out = append(out, s)
	}
	return out
}
