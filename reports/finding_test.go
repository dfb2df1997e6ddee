package reports

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// TestADraftIsOfADefect judges one run by several classes. A grant that a failover lost is no
// defect of the lock, so nothing is drafted; a foreign release is one, and so is a refusal (R) that
// is only reported.
func TestADraftIsOfADefect(t *testing.T) {
	for _, c := range []struct {
		letter, class string
		reported      bool
		whose         string
		drafted       bool
	}{
		{"L", checker.LostByServer, false, "Not a defect of getset: any lock on one Redis master " +
			"loses a grant that the promoted replica lacks (the fault broke an assumption: " +
			"durability).", false},
		{"S", checker.LeaseOverrun, false, "Not a defect of getset: any lock with a lease", false},
		{"L", checker.ReleasedByNonOwner, false, "L: released by a non-owner is a defect of getset: a " +
			"lock can prevent it by a new owner value for each try, compared and deleted in one " +
			"step.", true},
		{"D", "", false, "D: no client that waits gets in is a defect of getset: no fault was under " +
			"way then", true},
		{"N", "", false, "Not a defect of getset: any lock on one Redis master loses", false},
		{"A", "", false, "The fault and the lock have a part each: the link from n0 to n1 was cut",
			false},
		{"R", "", false, "The fault and the lock have a part each: the link from n0 to n1", false},
		{"R", checker.RefusedThoughGranted, true, "R: refused although granted is a defect", true},
	} {
		v := judgedAs(t, checker.Property{Property: c.letter, Class: c.class, Reported: c.reported})
		var b bytes.Buffer
		err := WriteFinding(&b, v)
		if (err == nil) != c.drafted || !strings.HasPrefix(view.Whose(v), c.whose) {
			t.Errorf("%s, %s: %v, %q", c.letter, c.class, err, view.Whose(v))
		}
		if err != nil && !strings.Contains(err.Error(), view.Whose(v)) {
			t.Errorf("%s: the refusal does not say whose it is: %v", c.class, err)
		}
		for _, want := range []string{"  " + c.letter + ": ", "was cut", "run --impl getset --nemesis " +
			"failover:healthy"} {
			if c.drafted && !strings.Contains(b.String(), want) {
				t.Errorf("%s: the draft lacks %q:\n%s", c.class, want, &b)
			}
		}
	}
}

// TestADraftHasTheControlOfItsRun: of a run that no command line repeats, the control is of the
// same variant, and a run without a fault has none.
func TestADraftHasTheControlOfItsRun(t *testing.T) {
	for nemesis, want := range map[string]string{
		"failover": "lockbench run --impl getset --nemesis failover:healthy --variant x\n```",
		"none": "twenty times without a fault.\n\n```\nlockbench matrix --impl getset --nemesis none " +
			"--repeat 20\n```",
	} {
		v := judgedAs(t, checker.Property{Property: "L", Class: checker.ReleasedByNonOwner})
		v.History.Header.Nemesis, v.Plan = nemesis, []byte(`{"variant": "x"}`)
		v.History.Header.Command = ""
		var b bytes.Buffer
		if err := WriteFinding(&b, v); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s", nemesis, err, &b)
		}
	}
}

// TestADraftRepeatsTheRunWithItsFlags: a matrix has neither them nor a scenario file.
func TestADraftRepeatsTheRunWithItsFlags(t *testing.T) {
	for nemesis, control := range map[string]string{"pause:long": "pause:short", "mine.yaml": "none",
		"none": ""} {
		v := judgedAs(t, checker.Property{Property: "L", Class: checker.ReleasedByNonOwner})
		line := "lockbench run --impl getset --masters 3 --nemesis " + nemesis
		v.History.Header.Nemesis, v.History.Header.Seed = nemesis, 7
		v.History.Header.Command = line + " --seed 7"
		want := "\nfor seed in $(seq 20); do " + line + " --seed $seed; done\n"
		if control != "" {
			want += "lockbench run --impl getset --masters 3 --nemesis " + control + "\n"
		}
		var b bytes.Buffer
		if err := WriteFinding(&b, v); err != nil || !strings.Contains(b.String(), want+"```") {
			t.Errorf("%s: %v\n%s", nemesis, err, &b)
		}
	}
}

// TestOwnerValuesAreShort: no text for people has an owner value in full, two values that begin
// alike stay two, and the verdict keeps what was recorded.
func TestOwnerValuesAreShort(t *testing.T) {
	const one = "b214bc04b3fdd4f990a18022da327b92c5246933"
	const other = "b214bc04b3fdd4f990a18022da327b92c5246934"
	p := checker.Property{Property: "L", Class: checker.ReleasedByNonOwner,
		Explanation: `Client 1 sent "DEL lock:0", which deleted ` + one + ":7."}
	v := judgedAs(t, p)
	sent := &v.First().Commands[0]
	sent.Args, sent.Reply = []string{"SET", "lock:0", one, "GET"}, other
	var finding, report bytes.Buffer
	if err := errors.Join(WriteFinding(&finding, v), WriteHTML(&report, v)); err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(report.String(), `<ol class="steps">`)
	steps, _, _ = strings.Cut(steps, "</ol>")
	for name, text := range map[string]string{"finding": finding.String(), "steps": steps} {
		if strings.Contains(text, one) || strings.Contains(text, other) ||
			!strings.Contains(text, "b214bc…6933") || !strings.Contains(text, "b214bc…6934") {
			t.Errorf("the %s has owner values in full, or not two:\n%s", name, text)
		}
	}
	if told := strings.Join(v.First().Told, " "); !strings.Contains(told, "b214bc…6933:7.") {
		t.Errorf("the story is %q", told)
	}
	if got := v.Verdict.Properties[0].Explanation; got != p.Explanation {
		t.Errorf("the verdict has %q", got)
	}
}

// judgedAs returns a run with one violation, and a link that was cut before it.
func judgedAs(t *testing.T, p checker.Property) *view.View {
	t.Helper()
	r := reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 14, Fail: true})
	cut := history.Event{Type: history.Fault, Process: history.Harness, F: "cut", Target: "n0>n1",
		ID: 99, Phase: history.PhaseFrom, T: 1}
	r.History.Events = append([]history.Event{cut}, r.History.Events...)
	p.Verdict, p.Witness = checker.Violated, r.Verdict.Property(checker.MutualExclusion).Witness
	p.Witness.Commands = []checker.WitnessCommand{{Effect: "grants", Command: r.Trace[0]}}
	if p.Class == checker.LostByServer {
		p.Assumption = "durability"
	}
	r.Verdict.Properties = []checker.Property{p}
	if p.Reported {
		r.Verdict.Verdict = checker.Valid
	}
	return reporttest.View(t, r)
}
