package explain

import (
	"testing"

	"github.com/lockbench/lockbench/checker/record"
)

// TestStall: the words do not blame the machine for a server that had no leader.
func TestStall(t *testing.T) {
	gap := record.Gap{Process: -1, Node: "n2", From: 1e9, To: 2_001_000_000}
	late, leaderless := gap, gap
	leaderless.NoLeader = true
	for g, want := range map[record.Gap]string{
		late: "n2 did not answer for 1001 ms until 2.001 s, and no fault asked for it",
		leaderless: "n2 was not healthy for 1001 ms until 2.001 s: it had no leader, or was slow to " +
			"ask it",
		{Process: 2, From: 1e9, To: 2e9}: "the machine stalled for 1000 ms until 2.000 s (client 2 did " +
			"not run, and no fault asked for it)",
	} {
		if got := Stall(g); got != want {
			t.Errorf("%q", got)
		}
	}
}

func TestSay(t *testing.T) {
	if got := Say("100%"); got != "100%" {
		t.Errorf("without arguments: %q", got)
	}
	defer Translate(Pseudo)()
	if got := Say("Client %d had %.3f s of %q%%.", 3, 1.5, "x"); got !=
		`Pyvrag 3 unq 1.500 f bs "x"%.` {
		t.Errorf("%q", got)
	}
}

func TestBrief(t *testing.T) {
	for ns, want := range map[int64]string{5: "5 ns", 340_400: "340 µs", 3_240_000: "3.2 ms",
		178_400_000: "178 ms", 1_239_000_000: "1.24 s"} {
		if got := Brief(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
