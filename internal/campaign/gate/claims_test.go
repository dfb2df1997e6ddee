package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

// TestAFileThatWasNotMeasuredIsRefused: any lock would pass a snapshot without runs.
func TestAFileThatWasNotMeasuredIsRefused(t *testing.T) {
	for found, want := range map[string]string{
		"{runs: 0}":             "found has no runs, so that any lock would pass",
		"{must: [D]}":           "each of 0 runs violated D",
		"{runs: 1, must: [D]}":  "",
		"{runs: 2, valid: [Q]}": "an unknown property",
	} {
		file := filepath.Join(t.TempDir(), "g.yaml")
		text := "environment: sim\nentries:\n  - {impl: setnx, found: " + found + "}\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(file)
		if got := batchtest.ErrText(err); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", found, got, want)
		}
	}
}

// TestALetterThatIsOnlyReportedIsNoClaim: a safe entry names what was valid, and apart from it what
// was violated and does not decide.
func TestALetterThatIsOnlyReportedIsNoClaim(t *testing.T) {
	b := always(batchtest.Verdict(checker.Valid, ""), nil)
	found := b.found
	b.found = func(entry string, seed uint64, try int) (*checker.Verdict, error) {
		v, err := found(entry, seed, try)
		for i := range v.Properties {
			if p := &v.Properties[i]; p.Property == "R" {
				p.Reported = true
				p.Verdict = map[uint64]checker.Result{1: checker.NA, 2: checker.Violated}[seed]
			}
		}
		return v, err
	}
	claim := b.run(t, gate(t, "a|sim|2|safe"), Options{}).Entries[0].Claim
	if !strings.HasPrefix(claim, "No violation of S, L, O, D, ") ||
		!strings.Contains(claim, "; only reported: R violated in 1 of 2 runs") ||
		strings.Contains(claim, "not exercised: R") {
		t.Error(claim)
	}
}

// TestFormsInDoubtAreNamed on the terminal, though the gate passes.
func TestFormsInDoubtAreNamed(t *testing.T) {
	then := Says{Of: 16, Forms: map[string]int{"SET KEY VALUE NX PX 500": 16}}
	e := then.judge(Says{Of: 16, Forms: map[string]int{"SET KEY VALUE NX PX 500": 16, "DEL KEY": 2}},
		heard{true, 16, 16}, "process")
	var b strings.Builder
	if err := (&Result{Entries: []EntryResult{e}}).Text(&b, ""); err != nil || e.Result != Passed ||
		!strings.Contains(b.String(), "In doubt. With so few runs it may be chance: DEL KEY") {
		t.Errorf("%v %s:\n%s", err, e.Result, &b)
	}
}
