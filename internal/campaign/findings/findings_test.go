package findings

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"

	"github.com/lockbench/lockbench/checker"
)

func cellOf(lock string, r checker.Result) []Cell {
	c := Cell{Lock: lock, Fault: "pause"}
	c.Add("S", r)
	return []Cell{c}
}

// TestAFindingHasOneIdentityInAllRuns follows one finding through eight runs.
func TestAFindingHasOneIdentityInAllRuns(t *testing.T) {
	var all []Finding
	var got []State
	for _, r := range []checker.Result{checker.Violated, checker.Violated, checker.Unknown,
		checker.Valid, checker.Unknown, checker.Valid, checker.Violated, checker.Violated} {
		all = Track(cellOf("mine", r), all)
		if len(all) != 1 {
			t.Fatalf("%d findings", len(all))
		}
		got = append(got, all[0].State)
	}
	want := []State{New, Ongoing, Ongoing, Gone, Gone, Gone, Back, Ongoing}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if all = Track(nil, all); len(all) != 1 || all[0].State != Ongoing {
		t.Errorf("a finding whose cell was not run is %+v", all)
	}
	if all = Track(cellOf("mine", checker.Valid), nil); len(all) != 0 {
		t.Errorf("what was never violated is %+v", all)
	}
}

func TestAnotherVersionIsTheSameLock(t *testing.T) {
	before := Track(cellOf("redis-py@5.0.4 defaults", checker.Violated), nil)
	for lock, want := range map[string]State{"redis-py@5.0.5 defaults": Ongoing,
		"redis-py defaults": Ongoing, "redis-py ttl": New} {
		now := Track(cellOf(lock, checker.Violated), before)
		i := slices.IndexFunc(now, func(f Finding) bool { return f.Lock == lock })
		if i < 0 || now[i].State != want {
			t.Errorf("%s: %+v, want %s", lock, now, want)
		}
	}
}

func TestTheWorstResultOfACellCounts(t *testing.T) {
	c := Cell{}
	for _, r := range []checker.Result{checker.Valid, checker.Violated, checker.Unknown} {
		c.Add("S", r)
	}
	if c.Letters["S"] != checker.Violated {
		t.Error(c.Letters)
	}
}

// TestEntriesOfOneLockUnderOneFaultAreOneCell: otherwise a finding of one is new and gone at once.
func TestEntriesOfOneLockUnderOneFaultAreOneCell(t *testing.T) {
	var cells []Cell
	Join(&cells, "mine", "none").Add("S", checker.Violated)
	Join(&cells, "mine", "none").Add("S", checker.Valid)
	Join(&cells, "mine", "pause").Add("S", checker.Valid)
	all := Track(cells, Track(cells, nil))
	if len(cells) != 2 || len(all) != 1 || all[0].State != Ongoing {
		t.Errorf("%d cells, %+v", len(cells), all)
	}
}

// TestPrometheusReadsTheMetrics parses them with Prometheus' own parser.
func TestPrometheusReadsTheMetrics(t *testing.T) {
	cells := append(cellOf("a", checker.Violated), cellOf("b", checker.Valid)...)
	var b strings.Builder
	if err := WriteMetrics(&b, `my "gate"`, cells, Track(cells, nil)); err != nil {
		t.Fatal(err)
	}
	var p expfmt.TextParser
	families, err := p.TextToMetricFamilies(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			got[key] = m.GetGauge().GetValue()
		}
	}
	for key, want := range map[string]float64{`lockbench_cells my "gate" S violated`: 1,
		`lockbench_cells my "gate" S valid`: 1, `lockbench_cells my "gate" S unknown`: 0,
		`lockbench_findings my "gate" new`: 1, `lockbench_findings my "gate" gone`: 0} {
		if v, there := got[key]; !there || v != want {
			t.Errorf("%s is %v, want %v, in\n%s", key, v, want, b.String())
		}
	}
}
