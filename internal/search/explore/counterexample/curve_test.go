package counterexample

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDecided is the first step from which on the violation stays at least as likely as not.
func TestDecided(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decided int
		points  []Point
		says    string
	}{
		{0, []Point{{0, 10}, {4, 9}, {6, 10}}, "decided by the plan: of 10 runs that begin " +
			"alike and go on at random 100 % end so"},
		{6, []Point{{0, 1}, {2, 7}, {4, 3}, {6, 8}, {7, 10}}, "decided at step 6: of 10 runs that go " +
			"on at random from the step before 30 % end so, and from that step on 80 %"},
		{7, []Point{{0, 0}, {7, 5}}, "decided at step 7: of 10 runs that go on at random from the step " +
			"before 0 % end so, and from that step on 50 %"},
	} {
		curve := NewCurve(10, c.points)
		if curve.Decided != c.decided || curve.String() != c.says {
			t.Errorf("%v: %d, %s", c.points, curve.Decided, curve)
		}
	}
}

// TestCurvesInFiles are read as they were written, and believed only if they can be true.
func TestCurvesInFiles(t *testing.T) {
	t.Parallel()
	x, err := ReadFile("../testdata/corpus/getset-pause-long-S.yaml")
	if err != nil {
		t.Fatal(err)
	}
	x.Curve = NewCurve(10, []Point{{0, 1}, {2, 7}, {4, 8}})
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(x.Curve, again.Curve); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []Curve{{}, {Runs: 10, Points: []Point{{3, 1}, {2, 1}}},
		{Runs: 10, Points: []Point{{3, 11}}}, {Runs: 10, Points: []Point{{1 << 20, 1}}},
		{Runs: 10, Decided: 9, Points: []Point{{3, 1}}}} {
		if x.Curve = &bad; x.Validate() == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}
