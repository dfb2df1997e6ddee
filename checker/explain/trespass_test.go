package explain

import (
	"testing"

	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

func TestTrespass(t *testing.T) {
	for _, c := range []struct {
		class string
		kind  verdict.Kind
		want  string
	}{
		{verdict.ReleasedByNonOwner, verdict.ForeignDelete,
			"Client 1 deleted the key of client 0, which held the lock."},
		{verdict.RenewedByNonOwner, verdict.Renewal,
			"Client 1 renewed the key of client 0, which held the lock."},
		{verdict.ReleasedByNonOwner, verdict.Grant, ""},
	} {
		got := Trespass(verdict.Property{Class: c.class, Witness: &verdict.Witness{
			Holds: []verdict.Hold{{Process: 1}, {Process: 0}},
			Commands: []verdict.WitnessCommand{{Kind: c.kind,
				Command: history.Command{Process: 1, Recv: 5}}}}})
		if got != c.want {
			t.Errorf("%s by a %s: got %q, want %q", c.class, c.kind, got, c.want)
		}
	}
}
