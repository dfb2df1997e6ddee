package compare

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

// sideOf makes a side of items that each have trials with the given letters violated, "" for valid
// and "?" for unknown.
func sideOf(name string, items map[string][]string) *Side {
	s := &Side{Name: name, Kind: aMatrix, Environment: "process", Machine: "m",
		Versions: map[string]string{
			"redis": "7.0.15"}, Settings: map[string]string{"ttl": "2s"}}
	for _, n := range sorted(items) {
		i := Item{Name: n, Under: n}
		for _, found := range items[n] {
			v := batchtest.Verdict(checker.Valid, found)
			if found == "?" {
				v = batchtest.Verdict(checker.Unknown, "")
			}
			i.Trials = append(i.Trials, Trial{Finding: batch.NewFinding(v, nil)})
		}
		s.Items = append(s.Items, i)
	}
	return s
}

func sorted(m map[string][]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func times(n int, found string) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(found+",", n), ","), ",")
}

// TestMoreSeedsMayFindMore: in the simulator the same seeds agree step by step, others need not.
func TestMoreSeedsMayFindMore(t *testing.T) {
	for _, c := range []struct {
		a, b   []string
		change Change
	}{
		{times(1, ""), times(1, "S"), New},
		{times(1, ""), append(times(6, ""), "S"), Chance},
		{append(times(6, ""), "S"), times(1, ""), Chance},
	} {
		a, b := sideOf("a", map[string][]string{"x": c.a}), sideOf("b", map[string][]string{"x": c.b})
		for _, s := range []*Side{a, b} {
			s.Environment, s.Settings = "sim", map[string]string{"seed": "1"}
		}
		got, err := Compare(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if s := got.Pairs[0].Properties[0]; s.Change != c.change {
			t.Errorf("%v against %v: %q, want %q", c.a, c.b, s.Change, c.change)
		}
	}
}

// TestWhatDidNotApplyIsNotLost: a letter that is unknown now was not judged before.
func TestWhatDidNotApplyIsNotLost(t *testing.T) {
	na := Item{Trials: []Trial{{Finding: batch.Finding{Properties: map[string]checker.Result{
		"F": checker.NA}}}}}
	unknown := Item{Trials: []Trial{{Finding: batch.Finding{Properties: map[string]checker.Result{
		"F": checker.Unknown}}}}}
	if p := newPropertyPair("F", na, unknown, false); p.Change != "" {
		t.Error(p.Change)
	}
	if p := newPropertyPair("F", unknown, na, false); p.Change != "" {
		t.Error(p.Change)
	}
}

// TestLettersSideBySide says of S on two sides what became of it, and whether a script must stop
// for that.
func TestLettersSideBySide(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   []string
		change Change
		exit   int
	}{
		{"the same", times(1, "S"), times(1, "S"), "", 0},
		{"as often or not", append(times(3, "S"), ""), times(4, "S"), "", 0},
		{"new", times(8, ""), times(8, "S"), New, 1},
		{"gone", times(8, "S"), times(8, ""), Gone, 1},
		{"one run of each of one build", times(1, ""), times(1, "S"), Chance, 0},
		{"one run of each, the other way round", times(1, "S"), times(1, ""), Chance, 0},
		{"seven runs of each", times(7, ""), times(7, "S"), Chance, 0},
		{"rare, and a side that may have missed it", times(20, ""), append(times(19, ""), "S"), Chance,
			0},
		{"the same the other way round", append(times(19, ""), "S"), times(20, ""), Chance, 0},
		{"often, and a side that would have found it", append(times(8, "S"), times(4, "")...),
			times(20, ""), Gone, 1},
		{"unknown now", times(1, ""), times(1, "?"), Lost, 2},
		{"unknown now in one of three runs", times(3, ""), append(times(2, ""), "?"), "", 0},
		{"violated, and unknown now", times(1, "S"), times(1, "?"), Lost, 2},
		{"known now", times(1, "?"), times(1, ""), Learned, 0},
		{"violated, and unknown before", times(1, "?"), times(1, "S"), Chance, 0},
	} {
		got, err := Compare(sideOf("a", map[string][]string{"x": c.a}), sideOf("b", map[string][]string{
			"x": c.b}))
		if err != nil {
			t.Fatal(err)
		}
		if s := got.Pairs[0].Properties[0]; s.Property != "S" || s.Change != c.change ||
			got.Exit() != c.exit {
			t.Errorf("%s: %q, exit %d, want %q, exit %d: %s", c.name, s.Change, got.Exit(), c.change, c.exit,
				s.Line())
		}
	}
}

func TestHowFarTwoCanBeCompared(t *testing.T) {
	one := map[string][]string{"x": {""}}
	a, b := sideOf("a", one), sideOf("b", one)
	c, err := Compare(a, b)
	if err != nil || c.Caveats()[0] != "Like for like: same environment, versions and plan." {
		t.Error(err, c.Caveats())
	}
	b.Environment, b.Versions, b.Settings = "sim", map[string]string{"redis": "6"}, map[string]string{
		"ttl": "5s", "clients": "8"}
	c, err = Compare(a, b)
	want := "Two environments, process and sim: verdicts can be compared, times cannot.|They differ " +
		"in version of redis: 7.0.15 / 6.|They differ in clients: – / 8.|They differ in ttl: 2s / 5s."
	if got := strings.Join(c.Caveats(), "|"); err != nil || got != want || c.Times {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	b.Kind = aRun
	if _, err := Compare(a, b); batchtest.ErrText(err) !=
		"a is a matrix and b is a run; compare two of one kind" {
		t.Error(err)
	}
	two := sideOf("b", map[string][]string{"y": {""}, "z": {""}})
	if _, err := Compare(a, two); batchtest.ErrText(err) !=
		`they have nothing in common: a has "x"; b has "y", "z"` {
		t.Error(err)
	}
	if c, err := Compare(a, sideOf("b", map[string][]string{"y": {""}})); err != nil ||
		c.Pairs[0].Name != "x / y" {
		t.Error("two locks, one run each, are a pair", err)
	}
	old := sideOf("a", map[string][]string{"l@1.0, pause": {""}, "l@1.0 fair, pause": {""}})
	c, err = Compare(old, sideOf("b", map[string][]string{"l, pause": {""}, "l fair, pause": {""},
		"l spin, pause": {""}}))
	if err != nil || len(c.Pairs) != 2 || len(c.OnlyA) != 0 || len(c.OnlyB) != 1 {
		t.Error("two versions of a library are paired by variant", err, c)
	}
	c, err = Compare(sideOf("a", map[string][]string{"x": {""}, "y": {""}}),
		sideOf("b", map[string][]string{"x": {""}}))
	if err != nil || c.Exit() != checker.ExitUnknown || c.Caveats()[0] != "Only in A: y." ||
		c.Sentence() != "1 compared: 1 missing in B." {
		t.Error("what B lacks cannot be judged any more", err, c.Exit(), c.Caveats(), c.Sentence())
	}
	locks := func(lock string) *Side {
		s := sideOf(lock, map[string][]string{"pause": {""}, "crash": {""}})
		for i := range s.Items {
			s.Items[i].Name = lock + ", " + s.Items[i].Name
		}
		return s
	}
	if c, err := Compare(locks("setnx"), locks("redlock")); err != nil || len(c.Pairs) != 2 ||
		c.Pairs[0].Name != "setnx, crash / redlock, crash" || len(c.OnlyA) != 0 {
		t.Error("two locks are compared by fault", err)
	}
}

// costly gives each trial of each item a cost: a median of about base, with noise of a tenth.
func costly(s *Side, r *rand.Rand, base time.Duration, runs, items int) *Side {
	s.Items = nil
	for n := range items {
		i := Item{Name: fmt.Sprint(n)}
		for range runs {
			d := time.Duration(float64(base) * (1 + 0.1*r.NormFloat64()))
			i.Trials = append(i.Trials, Trial{Finding: batch.NewFinding(batchtest.Verdict(checker.Valid, ""),
				nil),
				Cost: batch.Cost{
					Grants: 9, AcquireP50: history.Duration(d), AcquireP99: history.Duration(2 * d),
					Throughput: 1 / d.Seconds(), Commands: 5 * float64(d) / float64(base),
				}})
		}
		s.Items = append(s.Items, i)
	}
	return s
}

// called reports whether a metric certainly changed.
func called(all []Metric) bool {
	return slices.ContainsFunc(all, func(m Metric) bool { return m.Change != "" })
}

// TestNoiseIsNoRegression compares 300 times two sides that differ by noise alone: chance may call
// something in one of a hundred.
func TestNoiseIsNoRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range 300 {
		a, b := costly(sideOf("a", nil), r, time.Millisecond, 8, 6), costly(sideOf("b", nil), r,
			time.Millisecond, 8, 6)
		c, err := Compare(a, b)
		if err != nil {
			t.Fatal(err)
		}
		wrong += batch.Truth(called(c.Overall) ||
			slices.ContainsFunc(c.Pairs, func(p Pair) bool { return called(p.Metrics) }))
	}
	if wrong > 9 { // 3 are to be expected, of single cells and of all together 6
		t.Errorf("%d of 300 comparisons called noise a change", wrong)
	}
	t.Logf("%d of 300 comparisons called noise a change", wrong)
}

func TestARealChangeIsCalled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	with := func(base time.Duration, runs, items int) *Side {
		return costly(sideOf("s", nil), r, base,
			runs, items)
	}
	c, err := Compare(with(time.Millisecond, 10, 3), with(2*time.Millisecond, 10, 3))
	if err != nil || c.Pairs[0].Metrics[0].Change != Worse || c.Pairs[0].Metrics[2].Change != Worse {
		t.Errorf("%v: twice as slow: %+v", err, c.Pairs[0].Metrics)
	}
	c, _ = Compare(with(2*time.Millisecond, 10, 3), with(time.Millisecond, 10, 3))
	if c.Pairs[0].Metrics[0].Change != Better {
		t.Errorf("twice as fast: %+v", c.Pairs[0].Metrics)
	}
	c, _ = Compare(with(time.Millisecond, 1, 20), with(2*time.Millisecond, 1, 20))
	if called(c.Pairs[0].Metrics) || c.Overall[0].Change != Worse {
		t.Errorf("one run each says nothing, twenty cells together do: %+v, %+v", c.Pairs[0].Metrics,
			c.Overall)
	}
	slow := with(2*time.Millisecond, 10, 3)
	slow.Machine = "another"
	c, _ = Compare(with(time.Millisecond, 10, 3), slow)
	for _, m := range c.Pairs[0].Metrics {
		if m.Change != "" && m.Name != "commands" {
			t.Errorf("on another machine %s is %s", m.Name, m.Change)
		}
	}
}

func TestGoldenComparison(t *testing.T) {
	a := sideOf("main", map[string][]string{"setnx, pause": {"", ""},
		"token-lua, <b>|`pause`": times(3, "S"), "token-lua, late": {"", "S", "", "", "", ""}})
	b := sideOf("branch", map[string][]string{"setnx, pause": {"S", "S"}, "token-lua, <b>|`pause`": {
		"?"}, "token-lua, late": times(6, ""), "redlock, pause": {""}})
	b.Settings = map[string]string{"ttl": "5s"}
	for i, s := range []*Side{a, b} {
		for j := range s.Items[0].Trials {
			s.Items[0].Trials[j].Cost = batch.Cost{Grants: 10, AcquireP50: ms(2 + i), AcquireP99: ms(20 + i),
				Throughput: 100, Commands: 4, Recovery: ms(500)}
		}
	}
	b.Items[1].Trials[0].Cost = a.Items[0].Trials[0].Cost
	c, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var text, js bytes.Buffer
	if err := c.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(&js); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "compare.txt", text.Bytes())
	golden.Compare(t, "compare.json", js.Bytes())
}

func ms(n int) history.Duration { return history.Duration(time.Duration(n) * time.Millisecond) }
