package timeline

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestTheDataEndsNoElement puts hostile texts into the data of the script.
func TestTheDataEndsNoElement(t *testing.T) {
	b, err := New(reporttest.View(t, reporttest.HostileRun(t))).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) || strings.ContainsAny(string(b), "<>&\u2028\x00\x1b") {
		t.Error("the data can end its element, or is no JSON")
	}
}

// TestDetailIsAroundWhatMatters draws a part of a large run one by one, and says so.
func TestDetailIsAroundWhatMatters(t *testing.T) {
	v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 8, Cycles: 9000,
		Fail: true}))
	d := New(v)
	if countIn(v.Calls, d.Detail) > maxDetail || len(d.Left) == 0 {
		t.Errorf("%d calls are drawn; left out is %q", countIn(v.Calls, d.Detail), d.Left)
	}
	for _, f := range v.Faults {
		if !d.detailed(f.From, f.From) {
			t.Errorf("%s at %d is not in detail", f.Name(), f.From)
		}
	}
	for _, w := range v.Violations {
		for _, h := range w.Holds {
			lane := d.Lanes[slices.Index(v.Clients, h.Process)]
			if !slices.ContainsFunc(lane.Holds, func(x [10]int64) bool { return x[5] == int64(h.N) }) {
				t.Errorf("hold %d of client %d, which violates, is left out", h.N, h.Process)
			}
		}
	}
	inside := int64(0)
	for _, l := range d.Lanes {
		for i := 1; i < len(l.Bins); i += 2 {
			inside += l.Bins[i]
		}
	}
	if inside != int64(len(v.Grants())) {
		t.Errorf("the sums count %d acquisitions of %d", inside, len(v.Grants()))
	}
}
