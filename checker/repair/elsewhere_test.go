package repair_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/hint"
)

// use is what the page says where no run has shown a repair: which violations, and under which
// faults.
type use struct{ kinds, faults map[string]bool }

// elsewhere goes through all locks, libraries and classes of the published records. It demands that
// each violation has a repair or locks to use instead, and returns the latter for the page.
func elsewhere(t *testing.T) string {
	t.Helper()
	record, err := choose.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	uses, seen := map[string]use{}, map[string]bool{}
	for _, m := range []*matrix.Matrix{record.Own, record.Libraries} {
		for _, c := range m.Cells {
			i := slices.IndexFunc(m.Rows, func(r matrix.Row) bool { return r.Name == c.Row })
			for _, run := range c.Runs {
				v, worst := violations(run)
				what := fmt.Sprint(c.Row, run.Nemesis, run.Properties, run.Classes)
				if run.Control || v == nil || seen[what] {
					continue
				}
				seen[what] = true
				r := remedy(t, m.Rows[i], run, v)
				if r.Use != hint.OtherLock {
					continue
				}
				key := fmt.Sprintf("%s: `%s`", r.Shown, r.Command.Line)
				if slices.Contains(r.Rest, choose.FencingNote) {
					key += ". " + choose.FencingNote
				}
				if _, ok := uses[key]; !ok {
					uses[key] = use{map[string]bool{}, map[string]bool{}}
				}
				uses[key].kinds[worst], uses[key].faults[run.Nemesis] = true, true
			}
		}
	}
	if len(seen) < 300 {
		t.Errorf("only %d violations", len(seen))
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", joined(uses[key].kinds), joined(uses[key].faults), key)
	}
	return b.String()
}

func joined(words map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(words)), ", ")
}

// violations returns the verdict of a recorded run with its deciding violations, and the class or
// letter of the worst. It returns nil if there are none.
func violations(run matrix.Result) (*checker.Verdict, string) {
	v := &checker.Verdict{}
	for letter, verdict := range run.Properties {
		if verdict == checker.Violated && !slices.Contains(history.ReportedProperties(), letter) {
			p := checker.Property{Property: letter, Class: run.Classes[letter], Verdict: verdict}
			p.UsePresentNames()
			if letter == checker.MutualExclusion && run.Nemesis == "late:reply" { // its witness is lost
				p.Witness = &checker.Witness{Commands: make([]checker.WitnessCommand, 1)}
			}
			v.Properties = append(v.Properties, p)
		}
	}
	worst, found := v.Worst()
	if !found {
		return nil, ""
	}
	if worst.Class == "" {
		return v, worst.Property
	}
	return v, worst.Class
}

func remedy(t *testing.T, row matrix.Row, run matrix.Result, v *checker.Verdict) hint.Remedy {
	t.Helper()
	o := row.Options(run.Nemesis)
	o.For = time.Hour // enough for any lease
	if row.Adapter != "" {
		o.Impl, o.Adapter = "", row.Adapter
	}
	p, err := harness.NewPlan(o)
	var r hint.Remedy
	if err == nil {
		r, err = hint.RemedyFor(v, p)
	}
	if err != nil || r.Do == "" {
		t.Errorf("%s under %s: no remedy (%v)", row.Name, run.Nemesis, err)
	}
	return r
}
