package study

import (
	"os"
	"testing"
)

// TestEachDepartureIsExplained wants a reason wherever a document's code and our port of it have
// other letters, and no reason where they have not.
func TestEachDepartureIsExplained(t *testing.T) {
	book, err := ReadBook(os.DirFS("../results"))
	if err != nil || book.Fidelity == nil {
		t.Fatal("lab/results/fidelity.json.gz is not there", err)
	}
	for _, x := range ports() {
		used := map[string]bool{}
		for _, c := range book.Fidelity.Columns {
			y, both := x.compared(book.Fidelity, c.Name)
			why := x.why(c.Name)
			used[why] = used[why] || both && !y.same()
			if both && !y.same() && why == "" {
				t.Errorf("%s, %s: %q, and %s has %q: why?", x.Posted, c.Name, y.posted, x.Port, y.ported)
			}
		}
		for _, d := range x.Differs {
			if !used[d.Why] {
				t.Errorf("%s: nothing differs, and yet: %s", x.Posted, d.Why)
			}
		}
	}
}
