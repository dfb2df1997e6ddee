package harness

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// successor is the name of the client that was granted a lock whose first holder is still inside.
const successor = "successor"

// writeFirst returns the steps with the successor of a late holder writing before that holder does.
// A resource that looks at tokens has seen a newer one then, and must refuse the late write. Only
// a holder that has not worked yet is late: it stands where it was granted the lock.
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
