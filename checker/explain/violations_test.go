package explain

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// TestDeletions says of each kind of deletion what is known of it, and no more.
func TestDeletions(t *testing.T) {
	lost := verdict.WitnessCommand{Kind: verdict.PossibleDelete}
	known := verdict.WitnessCommand{Command: history.Command{Recv: 5}, Kind: verdict.ForeignDelete}
	late := known
	late.Kind = verdict.LateDelete
	const came = "was sent before the grant and came late"
	for want, got := range map[string]string{
		"was never answered and may have deleted the key of client 2": DeletesOf(lost, 2),
		"deletes the key of client 2":                                 DeletesOf(known, 2),
		"deletes the key":                                             Deletes(known),
		came + "; it deletes the key":                                 Deletes(late),
		"deleted the key of client 1":                                 DeletedOf(1, true, false),
		"may have deleted the key of client 1":                        DeletedOf(1, false, false),
		"deleted the key of client 1: it " + came:                     DeletedOf(1, true, true),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestFailures says what went wrong with a run, with the reason where there is one.
func TestFailures(t *testing.T) {
	for want, f := range map[string]record.Failure{
		"client 3 ended at 1.500 s although that was not planned": {Kind: record.UnplannedExit,
			Process: 3, T: 1_500_000_000},
		"the fault kill of n0 failed at 0.002 s: no such process": {Kind: record.FaultFailed,
			Action: "kill", Target: "n0", T: 2_000_000, Err: "no such process"},
		`the lock ended its process: client 3, by the signal "interrupt" at 1.500 s`: {
			Kind: record.SelfEnded, Process: 3, T: 1_500_000_000, Signal: "interrupt"},
		"no room": {Kind: record.HarnessError, Err: "no room"},
	} {
		if got := Failure(&f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestEveryFlawAndUnfitHasWords also fails for a new one without words.
func TestEveryFlawAndUnfitHasWords(t *testing.T) {
	for f := linear.DoubleRelease; f <= linear.CoveredPoint; f++ {
		words := Flaw(&history.Header{}, 4, f, linear.Name{Process: 1, N: 2},
			linear.Name{Process: 3, N: 1}, verdict.Hold{})
		if !strings.HasPrefix(words, "Lock 4: client ") || strings.Contains(words, "%!") {
			t.Errorf("flaw %d: %s", f, words)
		}
	}
	for why := linear.StrayExtensions; why <= linear.NoGrants; why++ {
		if Unfit(why) == "" {
			t.Errorf("%d has no words", why)
		}
	}
}

// TestMissing lists all that a history lacks, and nothing where it lacks nothing.
func TestMissing(t *testing.T) {
	r := history.Requires{Contended: 5, Handovers: 2, Hits: 1, Failover: true}
	const all = "the fault missed: no strike of 1 fell into a hold with another client waiting; " +
		"only 1 acquisition was contended, and 5 are needed; no grant went to another client than the " +
		"one before, and 2 are needed; the new master granted nothing after the failover"
	if got := Missing(verdict.Evidence{Contended: 1}, r); got != all {
		t.Errorf("got  %s\nwant %s", got, all)
	}
	enough := verdict.Evidence{Contended: 5, Handovers: 2, Hits: 1, AfterFailover: 1}
	if got := Missing(enough, r); got != "" {
		t.Error(got)
	}
	const one = "the fault missed: no strike of 1 fell into a hold with another client waiting " +
		"(missed: kill n0)"
	if got := Missing(verdict.Evidence{Missed: []string{"kill n0"}},
		history.Requires{Hits: 1}); got != one {
		t.Errorf("got  %s\nwant %s", got, one)
	}
}
