package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Help is what a setting did against a fault.
type Help struct {
	MitigationCell
	Same    bool // it was measured with this lock
	On      bool // the run that asks has it
	Verdict string
	Command string // "": no command shows it alone; see Note
	Note    string
}

// helps are the settings that were measured under a fault: with this lock where there are any, and
// else with others.
func helps(lock string, p harness.Plan) (out []Help) {
	fault := p.Nemesis
	known, err := Recorded()
	if err != nil {
		return nil
	}
	name, _, _ := strings.Cut(fault, ":")
	for _, c := range known.Trials {
		of, _, _ := strings.Cut(c.Nemesis, ":")
		if of != name || nemesis.Control(c.Nemesis) || len(c.Without.Violated) == 0 {
			continue
		}
		s := known.setting(c.Mitigation)
		h := Help{MitigationCell: c, Same: c.Row == lock, Verdict: effect(c), On: s.in(p)}
		if s.lease() {
			h.Note = "Measured with a fault that stayed as long as it was. A run's own grows with --ttl: " +
				"it finds the same again with any lease."
		} else if rows, err := matrix.FindRows([]string{c.Row}); err == nil {
			h.Command = strings.TrimSpace(command("run", rows[0], c.Nemesis) + " " +
				s.flags())
		}
		out = append(out, h)
	}
	if slices.ContainsFunc(out, func(h Help) bool { return h.Same }) {
		out = slices.DeleteFunc(out, func(h Help) bool { return !h.Same })
	}
	// of each setting one trial: under this very fault, if there is one
	slices.SortStableFunc(out, func(a, b Help) int {
		return batch.Truth(b.Nemesis == fault) - batch.Truth(a.Nemesis == fault)
	})
	for i := range out { // what it costs where nothing was to be mended
		if dead := deadAfter(known.Trials, out[i].MitigationCell); dead != "" {
			out[i].Note = strings.TrimSpace(out[i].Note + " " + dead)
		}
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(h Help) bool {
		before := seen[h.Mitigation]
		seen[h.Mitigation] = true
		return before
	})
	slices.SortStableFunc(out, func(a, b Help) int { return cmp.Compare(order(a), order(b)) })
	return out
}

// The effects of a setting.
const (
	helped  = "helped"
	blocked = "no client gets in instead"
	failed  = "did not help"
)

// deadAfter says that with a setting no client is granted the lock after a fault that does no harm
// either; "" if that was not seen.
func deadAfter(trials []MitigationCell, of MitigationCell) string {
	name, _, _ := strings.Cut(of.Nemesis, ":")
	for _, c := range trials {
		if c.Mitigation == of.Mitigation && c.Row == of.Row && strings.HasPrefix(c.Nemesis, name+":") &&
			nemesis.Control(c.Nemesis) && c.With.Stuck > 0 {
			return fmt.Sprintf("Nor is any after %s (%d of %d): %s.", c.Nemesis, c.With.Stuck, c.With.Runs,
				strings.TrimSuffix(c.Line, " (control)"))
		}
	}
	return ""
}

func effect(c MitigationCell) string {
	switch {
	case len(c.With.Violated) > 0:
		return failed
	case c.With.Stuck > 0 || c.With.Unknown > 0:
		return blocked
	}
	return helped
}

func order(h Help) int { return slices.Index([]string{helped, blocked, failed}, h.Verdict) }
