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

// Help is the effect of a setting against a fault.
type Help struct {
	MitigationCell
	Same    bool // it was measured with this lock
	On      bool // the run has the setting
	Verdict string
	Command string // empty if no single command shows it; see Note
	Note    string
}

// helps returns the settings that were measured under a fault. It returns those measured with this
// lock if there are any, and otherwise those with other locks.
func helps(lock string, p harness.Plan) (out []Help) {
	fault := p.Nemesis
	known, err := Recorded()
	if err != nil {
		return nil
	}
	name := nemesis.Base(fault)
	for _, c := range known.Trials {
		of := nemesis.Base(c.Nemesis)
		if of != name || nemesis.Control(c.Nemesis) || len(c.Without.Violated) == 0 {
			continue
		}
		s := known.setting(c.Mitigation)
		h := Help{MitigationCell: c, Same: c.Row == lock, Verdict: effect(c), On: s.in(p)}
		if s.lease() {
			h.Note = "Measured with a fault of fixed length. The fault of a run grows with --ttl, so that " +
				"a longer --ttl gives the same result."
		} else if rows, err := matrix.FindRows([]string{c.Row}); err == nil {
			h.Command = strings.TrimSpace(command("run", rows[0], c.Nemesis) + " " +
				s.flags())
		}
		out = append(out, h)
	}
	if slices.ContainsFunc(out, func(h Help) bool { return h.Same }) {
		out = slices.DeleteFunc(out, func(h Help) bool { return !h.Same })
	}
	// keep one trial of each setting, preferably under this exact fault
	slices.SortStableFunc(out, func(a, b Help) int {
		return batch.Truth(b.Nemesis == fault) - batch.Truth(a.Nemesis == fault)
	})
	for i := range out { // the cost under a harmless fault, and how far the help was measured
		notes := []string{out[i].Note, deadAfter(known.Trials, out[i].MitigationCell)}
		if s := known.setting(out[i].Mitigation); s.Limit != "" && out[i].Helped() {
			notes = append(notes, "Measured against "+s.Limit+".")
		}
		out[i].Note = strings.TrimSpace(strings.Join(notes, " "))
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

// deadAfter returns a note if, with a setting, no client gets the lock even after a harmless fault,
// or "".
func deadAfter(trials []MitigationCell, of MitigationCell) string {
	name := nemesis.Base(of.Nemesis)
	for _, c := range trials {
		if c.Mitigation == of.Mitigation && c.Row == of.Row && strings.HasPrefix(c.Nemesis, name+":") &&
			nemesis.Control(c.Nemesis) && c.With.Stuck > 0 {
			return fmt.Sprintf("After %s no client gets in either (%d of %d): %s.", c.Nemesis,
				c.With.Stuck, c.With.Runs, strings.TrimSuffix(c.Line, " (control)"))
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

// Helped reports whether the setting prevented the violation, and clients still got in.
func (h Help) Helped() bool { return h.Verdict == helped }

// Blocks reports whether the setting prevented the violation because no client got in.
func (h Help) Blocks() bool { return h.Verdict == blocked }

func order(h Help) int { return slices.Index([]string{helped, blocked, failed}, h.Verdict) }
