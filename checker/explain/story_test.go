package explain

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAStoryTellsHowLongBothLeasesWereValid where one of them ends during the overlap.
func TestAStoryTellsHowLongBothLeasesWereValid(t *testing.T) {
	leased := func(process int, until int64) *record.Hold {
		return &record.Hold{Process: process, From: 1e9, End: 9e9,
			Leases: []record.Lease{{From: 1e9, To: until}}}
	}
	for until, want := range map[int64]string{
		5e9: "Both leases were valid for 1.00 s of that (",
		8e9: "Both leases were valid then (",
	} {
		p := &record.Pair{A: leased(1, until), B: leased(2, 9e9), From: 4e9, To: 7e9}
		if got := bothLeased(p); !strings.Contains(got, want) {
			t.Errorf("a lease until %d: %s", until, got)
		}
	}
}

// TestAStoryTellsWhenALateGrantWasAskedFor and says nothing of it where the reply came soon, or
// where the lock did not name the time.
func TestAStoryTellsWhenALateGrantWasAskedFor(t *testing.T) {
	const soon = "Client 2 was granted lock 0 by n0 at 4.000 s."
	const late = "Client 2 heard that it had been granted lock 0 by n0 at 4.000 s, having asked at "
	for asked, want := range map[int64]string{
		1e9:    soon, // when the call began
		1.5e9:  late + "1.500 s.",
		3.95e9: late + "3.950 s.",
		3.99e9: soon,
	} {
		h := &record.Hold{Process: 2, Call: 1e9, Granting: asked, From: 4e9, Node: "n0"}
		if got := tell([]happening{granted(h, "lock 0")}); got != want {
			t.Errorf("asked at %d: %s", asked, got)
		}
	}
}

// TestAStoryTellsOfAFaultThatHeldUpTheGrant: a busy server answers at its end, so that the first
// client hears of its grant as the fault ends. A fault that ended before the client asked is left
// out.
func TestAStoryTellsOfAFaultThatHeldUpTheGrant(t *testing.T) {
	p := &record.Pair{B: &record.Hold{Process: 2, From: 8e9},
		A: &record.Hold{Process: 1, Call: 1e9, Granting: 4e9, From: 6e9}}
	for ended, want := range map[int64]bool{6e9: true, 5e9: true, 4e9: false, 3e9: false} {
		stall := record.Fault{Action: nemesis.Stall, Target: "n0", From: 2e9, To: ended}
		told := struckBetween([]record.Fault{stall}, p, verdict.Property{
			Witness: &verdict.Witness{}})
		if (len(told) > 0) != want {
			t.Errorf("a fault that ended at %d is told: %v", ended, len(told) > 0)
		}
	}
}

// TestAShorterStoryKeepsTheDecisiveSteps: the grants, and what ended the right of the first holder.
// It keeps a fault only if nothing else did.
func TestAShorterStoryKeepsTheDecisiveSteps(t *testing.T) {
	pause := []record.Fault{{Action: nemesis.Pause, Target: "c1", From: 2e9, To: 7e9}}
	for until, decisive := range map[int64]string{3e9: "lease ran out", 9e9: "was paused"} {
		p := &record.Pair{From: 6e9, To: 8e9,
			A: &record.Hold{Process: 1, Call: 1, Granting: 1, From: 1e9, End: 8e9,
				Leases: []record.Lease{{From: 1, To: until}}},
			B: &record.Hold{Process: 2, From: 6e9, End: 9e9, Leases: []record.Lease{{To: 9e9}}}}
		p.SpanA.End, p.SpanB.End = 8e9, 9e9
		all := Events(history.Header{}, pause, p, verdict.Property{Witness: &verdict.Witness{}})
		whole, short := all[0], all[len(all)-1]
		for _, want := range []string{"Client 1 was granted", decisive, "granted the same lock", "both"} {
			if !strings.Contains(short, want) {
				t.Errorf("a lease until %d: no %q in %s", until, want, short)
			}
		}
		if extra := "ran again"; !strings.Contains(whole, extra) || strings.Contains(short, extra) {
			t.Errorf("a lease until %d: %q in\n%s, or not in\n%s", until, extra, short, whole)
		}
	}
}
