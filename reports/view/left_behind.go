package view

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
)

// LeftBehind says for how long a key that was left behind kept clients out. It returns "" if the
// record shows no such key.
func LeftBehind(v *View) string {
	if v.Verdict == nil {
		return ""
	}
	p := v.Verdict.Property(checker.Orphan)
	if p.Verdict != checker.Violated || p.Witness == nil || len(p.Witness.Commands) == 0 {
		return ""
	}
	from, to := unheld(v.Holds, p.Witness)
	s := fmt.Sprintf("From %s on no client held lock %d, and its key kept others out ",
		units.Stamp(from), p.Witness.Key)
	if to == record.Forever {
		return s + "until the run ended."
	}
	return s + "for " + units.Span(to-from) + "."
}

// unheld returns when the last holder before the refusals of a witness left, or when the key was
// written if that was later, and when a client was granted the lock next, or Forever.
func unheld(holds []record.Hold, w *checker.Witness) (from, to int64) {
	refused := w.Commands[len(w.Commands)-1].Recv
	to = record.Forever
	for i := range holds {
		switch h := &holds[i]; {
		case h.Key != w.Key:
		case h.From < refused:
			from = max(from, h.End)
		default:
			to = min(to, h.From)
		}
	}
	for _, m := range w.Commands {
		if m.Kind == verdict.Write {
			from = max(from, m.Sent)
		}
	}
	return from, to
}
