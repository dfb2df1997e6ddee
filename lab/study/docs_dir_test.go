package study

import (
	"os"
	"testing"
)

// TestTheRecordedResultsAreRead reads what docs keeps of earlier measurements, in either format.
func TestTheRecordedResultsAreRead(t *testing.T) {
	b, err := ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	if b.Matrix == nil || b.Exhaustive == nil || b.Mitigations == nil || len(b.Soaks) < 2 {
		t.Fatalf("something is missing: %+v", b)
	}
	if n := b.Exhaustive.count(b.measured); n.measured < 300 || n.same < 240 {
		t.Errorf("%+v", n)
	}
	if b.Soaks[0].Found[0].Property == "" || b.Soaks[0].Environment == "" {
		t.Errorf("%+v", b.Soaks[0].Found[0])
	}
	for _, c := range b.Mitigations.Cells {
		if c.Without.Unknown+c.With.Unknown > 0 && c.Without.Reason+c.With.Reason == "" {
			t.Errorf("%s: no reason", c.Mitigation)
		}
	}
}
