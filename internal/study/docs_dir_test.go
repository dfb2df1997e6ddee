package study

import "testing"

// TestTheRecordedResultsAreRead reads what docs keeps of earlier measurements, in either format.
func TestTheRecordedResultsAreRead(t *testing.T) {
	a, err := readAppendix("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	m, err := readMeasured("../../docs")
	if err != nil || m == nil {
		t.Fatalf("what was measured: %v, %v", m, err)
	}
	if a.Exhaustive == nil || a.Mitigations == nil || len(a.Soaks) < 2 {
		t.Fatalf("something is missing: %+v", a)
	}
	if n := a.Exhaustive.count(m); n.measured < 300 || n.same < 250 {
		t.Errorf("%+v", n)
	}
	if a.Soaks[0].Found[0].Property == "" || a.Soaks[0].Environment == "" {
		t.Errorf("%+v", a.Soaks[0].Found[0])
	}
	for _, c := range a.Mitigations.Cells {
		if c.Without.Unknown+c.With.Unknown > 0 && c.Without.Reason+c.With.Reason == "" {
			t.Errorf("%s: no reason", c.Mitigation)
		}
	}
}
