package gate

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestAnAcceptedDefectExpires on the day after the one that the file names.
func TestAnAcceptedDefectExpires(t *testing.T) {
	defer func(f func() string) { today = f }(today)
	violated := []Run{{Finding: batch.Finding{Properties: map[string]checker.Result{
		"S": checker.Violated}}}}
	overran := []Run{{Finding: batch.Finding{Properties: map[string]checker.Result{
		"S": checker.Violated, "L": checker.Violated}, Classes: map[string]string{
		"S": checker.LeaseOverrun}}}}
	clean := []Run{{Finding: batch.Finding{Properties: map[string]checker.Result{"S": checker.Valid}}}}
	for _, c := range []struct {
		today, until, ticket string
		runs                 []Run
		is, result           Outcome
		says                 string
	}{
		{"2027-01-31", "2027-01-31", "OPS-7", violated, Passed, Passed,
			"Accepted until 2027-01-31 (OPS-7)."},
		{"2027-02-01", "2027-01-31", "OPS-7", violated, Passed, Failed,
			"accepts S until 2027-01-31 (OPS-7), and that day is over"},
		// the same letters before and after the day
		{"2027-02-01", "2027-01-31", "", overran, Passed, Failed, "The file accepts L until"},
		{"2027-02-01", "2027-01-31", "", append(overran, violated...), Passed, Failed,
			"accepts S, L until"},
		{"2027-02-01", "2027-01-31", "", clean, Passed, Passed, ""},
		{"2027-02-01", "", "OPS-7", violated, Passed, Passed, "Accepted (OPS-7)."},
		{"2027-02-01", "", "", violated, Passed, Passed, ""},
		// a budget that was over, or a permission to be unknown, hides no defect
		{"2027-02-01", "2027-01-31", "", violated, Unknown, Failed, "that day is over"},
		{"2027-02-01", "2027-01-31", "", violated, Allowed, Failed, "that day is over"},
		{"2027-01-31", "2027-01-31", "", violated, Allowed, Allowed, "Claim."},
		{"2027-02-01", "2027-01-31", "", clean, Allowed, Allowed, "Claim."},
	} {
		today = func() string { return c.today }
		e, f := &Entry{Until: c.until, Ticket: c.ticket}, &EntryResult{Result: c.is, Claim: "Claim."}
		e.expire(f, c.runs)
		if f.Result != c.result || !strings.Contains(f.Claim, c.says) ||
			(f.Change == Expired) != (f.Result == Failed) {
			t.Errorf("%+v: %s, %q", c, f.Result, f.Claim)
		}
	}
}

// TestADateIsForADefect refuses it where the file accepts nothing.
func TestADateIsForADefect(t *testing.T) {
	for entry, says := range map[string]string{
		`{impl: getset, nemesis: failover, expect: violates S, until: 2027-01-31, ticket: OPS-7}`: "",
		`{impl: getset, nemesis: failover, expect: violates S, until: soon}`: `until is "soon"; ` +
			`write a day such as 2027-01-31`,
		`{impl: token-lua, nemesis: crash, expect: safe, until: 2027-01-31}`: "until is for a defect",
		`{impl: token-lua, nemesis: crash, expect: safe, ticket: OPS-7}`:     "ticket is for a defect",
	} {
		_, err := Read("g.yaml", []byte("environment: sim\nentries:\n  - "+entry+"\n"))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", entry, err, says)
		}
	}
}
