package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestThePageChoosesAsTheVerb answers questions on the page, and asks the verb's own code the same:
// the same locks are the best ones, with the same words in the same order, and the others fall for
// the same reasons.
func TestThePageChoosesAsTheVerb(t *testing.T) {
	testenv.SkipRace(t)
	known, err := choose.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	b := reporttest.NewBrowser(t)
	matrices := map[string]*matrix.Matrix{"small": reporttest.Matrix(t, ""), "real": known.Own,
		"libraries": known.Libraries}
	noted := false
	for name, m := range matrices {
		b.Load(matrixText(t, m, everywhere))
		for _, q := range []choose.Query{{}, {Faults: []string{"crash"}},
			{Faults: []string{"pause"}, Fencing: true}, {Faults: []string{"crash", "failover"}, Told: true},
			{Work: time.Hour}, {Pause: time.Second},
			{Lease: time.Second, Pause: 2 * time.Second, Work: time.Second},
			{Lease: 3 * time.Second, Pause: time.Second, Work: 9 * time.Second},
			{Lease: 3 * time.Second, Pause: 2 * time.Second, Work: time.Second}, {Told: true},
			{Faults: []string{"failover"}, NoOutage: true},
			{Faults: []string{"partition"}, Lease: 30 * time.Second, Work: 5 * time.Second}} {
			if slices.Contains(q.Faults, "partition") && !slices.ContainsFunc(m.Columns,
				func(c matrix.Column) bool { return c.Name == "partition" }) {
				continue // the page has no such fault to ask for
			}
			ask(b, m, q)
			choices, err := choose.ChooseFrom(m, q)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{choose.Answer(q, choices) + " " + choose.Tally(q, choices)}
			if name == "small" && q.Work > 0 && q.Work >= q.Lease {
				want[0] = "Not known: longwork was not run."
			}
			best := choose.Best(choices)
			note := reporttest.Eval[string](b, `document.getElementById('unjudged').textContent`)
			if want := choose.UnjudgedNote(best); note != want {
				t.Errorf("%s %+v: %q, want %q", name, q, note, want)
			}
			noted = noted || note != ""
			for _, c := range best {
				want = append(want, strings.Join([]string{c.Name, strings.Join(c.Gives, ", "), c.Costs(),
					c.Evidence(0)}, " | "))
			}
			for _, c := range choices {
				if !slices.ContainsFunc(best, func(b choose.Choice) bool { return b.Lock == c.Lock }) {
					want = append(want, c.Name+": "+c.Why())
				}
			}
			got := strings.Split(reporttest.Eval[string](b, `[...document.querySelectorAll(`+
				`'#decision, #remaining tbody tr, #others li')].map(e => e.cells ? [...e.cells].map(c => `+
				`(c.firstChild || c).textContent).join(' | ') : e.textContent).join('\n')`), "\n")
			if !slices.Equal(got, want) {
				t.Errorf("%s %+v:\n%s\nwant\n%s", name, q, strings.Join(got, "\n"),
					strings.Join(want, "\n"))
			}
		}
	}
	if !noted {
		t.Error("no query has a letter that nothing judged")
	}
	b.Clean()
}

// TestThePageDoesNotKnowWhatWasNotRun wants no count of locks from a matrix without the runs that
// decide: neither without any fault, nor with a crash.
func TestThePageDoesNotKnowWhatWasNotRun(t *testing.T) {
	b := reporttest.NewBrowser(t)
	for left, want := range map[string]string{"none crash": "Use ",
		"none": "Not known: crash was",
		"":     "Not known: none, crash were not run."} {
		m := reporttest.Matrix(t, "")
		m.Columns = slices.DeleteFunc(m.Columns, func(c matrix.Column) bool {
			return (c.Name == "none" || c.Name == "crash") && !strings.Contains(left, c.Name)
		})
		b.Load(matrixText(t, m, everywhere))
		got := reporttest.Eval[string](b, `document.getElementById('decision').textContent`)
		if !strings.HasPrefix(got, want) {
			t.Errorf("with %q: %q", left, got)
		}
	}
	b.Clean()
}

// ask sets the page to a question.
func ask(b *reporttest.Browser, m *matrix.Matrix, q choose.Query) {
	b.Do(reporttest.ClickOn("#reset"))
	for i, c := range m.Columns {
		if slices.Contains(q.Faults, c.Name) {
			b.Do(reporttest.ClickOn(fmt.Sprintf(`[data-fault="%d"]`, i)))
		}
	}
	set := func(id string, property string, value any) {
		reporttest.Eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById('%s'); `+
			`e.%s = %v; return e.dispatchEvent(new Event('input')); })()`, id, property, value))
	}
	set("lease", "value", q.Lease.Seconds())
	set("pause", "value", q.Pause.Seconds())
	set("work", "value", q.Work.Seconds())
	set("must-told", "checked", q.Told)
	set("must-fencing", "checked", q.Fencing)
	set("must-stay", "checked", q.NoOutage)
}
