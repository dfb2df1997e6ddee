package counterexample

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLines joins what is one command, and nothing else.
func TestLines(t *testing.T) {
	at := func(kind Kind, client, seq int, reply string) Step {
		return Step{Kind: kind, Client: client, Seq: seq, Node: "n0", Command: "GET k", Reply: reply}
	}
	lost := at(Recv, 0, 2, "")
	lost.Err = "i/o timeout"
	got := Lines([]Step{
		at(Send, 0, 1, ""), at(Exec, 0, 1, "1"), at(Recv, 0, 1, "1"),
		at(Send, 0, 2, ""), at(Exec, 0, 2, "1"), lost,
		at(Send, 0, 3, ""), at(Send, 1, 1, ""), at(Exec, 0, 3, "1"), at(Recv, 0, 3, "1"),
	})
	want := []string{
		"     0.000ms c0 to n0 and back: GET k = 1",
		"     0.000ms c0 sends to n0: GET k", "     0.000ms n0 executes for c0: GET k = 1",
		"     0.000ms c0 receives from n0: GET k =  (i/o timeout)",
		"     0.000ms c0 sends to n0: GET k", "     0.000ms c1 sends to n0: GET k",
		"     0.000ms n0 executes for c0: GET k = 1", "     0.000ms c0 receives from n0: GET k = 1",
	}
	if !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
}
