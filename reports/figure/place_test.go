package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// mark is something that was filled or stroked: its colour and the box around it.
type mark struct {
	color          color.Color
	filled         bool
	x0, x1, y0, y1 vg.Length
}

// drawing is what a figure draws, and where a point of its data lies on it.
type drawing struct {
	marks []mark
	texts []string
	x, y  func(float64) vg.Length
}

// drawn draws a figure on a canvas that remembers.
func drawn(t *testing.T, f *Figure) drawing {
	t.Helper()
	var rec recorder.Canvas
	canvas := draw.NewCanvas(&rec, f.width, f.height)
	f.draw(canvas)
	axes, _ := f.parts(canvas)
	area := f.plot.DataCanvas(axes)
	var d drawing
	d.x, d.y = f.plot.Transforms(&area)
	var now color.Color
	for _, action := range rec.Actions {
		switch a := action.(type) {
		case *recorder.SetColor:
			now = a.Color
		case *recorder.Fill:
			d.marks = append(d.marks, around(now, true, a.Path))
		case *recorder.Stroke:
			d.marks = append(d.marks, around(now, false, a.Path))
		case *recorder.FillString:
			d.texts = append(d.texts, a.String)
		}
	}
	return d
}

func around(c color.Color, filled bool, path vg.Path) mark {
	m := mark{color: c, filled: filled, x0: vg.Length(math.Inf(1)), y0: vg.Length(math.Inf(1))}
	for _, p := range path {
		if p.Type == vg.CloseComp { // it has no place
			continue
		}
		m.x0, m.x1 = min(m.x0, p.Pos.X), max(m.x1, p.Pos.X)
		m.y0, m.y1 = min(m.y0, p.Pos.Y), max(m.y1, p.Pos.Y)
	}
	return m
}

// near allows for the rounding of a vector.
func near(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 0.01 }

// has reports whether something of a colour goes from one place to another, across a height.
func (d drawing) has(c color.Color, filled bool, from, to, y float64) bool {
	return slices.ContainsFunc(d.marks, func(m mark) bool {
		return m.color == c && m.filled == filled && near(m.x0, d.x(from)) && near(m.x1, d.x(to)) &&
			m.y0 <= d.y(y) && d.y(y) <= m.y1
	})
}

// scenes are runs with a failover in the middle of them.
func scenes(t *testing.T, check func(t *testing.T, v *view.View)) {
	t.Helper()
	for _, s := range []reporttest.Scene{{Clients: 2, Cycles: 5, Fail: true},
		{Clients: 4, Cycles: 14, Fail: true}, {Clients: 4, Cycles: 40},
		{Clients: 7, Cycles: 60, Fail: true}} {
		t.Run(fmt.Sprintf("%d clients, %d cycles", s.Clients, s.Cycles), func(t *testing.T) {
			check(t, reporttest.View(t, reporttest.NewRun(t, s)))
		})
	}
}

func TestEveryHoldIsAtItsPlace(t *testing.T) {
	scenes(t, func(t *testing.T, v *view.View) {
		f, err := holdFigure(v)
		if err != nil {
			t.Fatal(err)
		}
		d := drawn(t, f)
		lo, hi := f.plot.X.Min, f.plot.X.Max
		row := func(p int) float64 { return float64(len(v.Clients) - 1 - slices.Index(v.Clients, p)) }
		for _, h := range v.Grants() {
			from, to := units.Seconds(h.From), units.Seconds(h.End)
			if from > hi || to < lo {
				continue
			}
			if !d.has(colorOK, true, max(lo, from), min(hi, to), row(h.Process)) {
				t.Errorf("no hold of client %d from %v to %v", h.Process, from, to)
			}
		}
		for _, w := range v.Violations {
			for _, h := range w.Holds {
				if !d.has(colorBad, false, units.Seconds(w.From), units.Seconds(w.To), row(h.Process)) {
					t.Errorf("no overlap from %v to %v over client %d", w.From, w.To, h.Process)
				}
			}
			if !slices.Contains(d.texts, w.Label()) {
				t.Errorf("no %q among %q", w.Label(), d.texts)
			}
		}
		if red := slices.ContainsFunc(d.marks, func(m mark) bool { return m.color == colorBad }); red !=
			(len(v.Violations) > 0) {
			t.Errorf("red is drawn: %v", red)
		}
	})
}

func TestEveryFaultIsBehindItsTime(t *testing.T) {
	scenes(t, func(t *testing.T, v *view.View) {
		figs, err := Figures(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figs {
			if f.plot.X.Label.Text == "duration" {
				continue // it is not over time
			}
			d := drawn(t, f)
			middle := (f.plot.Y.Min + f.plot.Y.Max) / 2
			for _, x := range v.Faults {
				at, to := units.Seconds(x.From), units.Seconds(x.To)
				if at >= f.plot.X.Min && at <= f.plot.X.Max && !d.has(colorFault, false, at, at, middle) {
					t.Errorf("%s: %s does not begin at %v", f.Name, x.Name(), at)
				}
				if long := d.x(to)-d.x(at) > 1; long && at >= f.plot.X.Min && to <= f.plot.X.Max &&
					!x.Lasting && !d.has(colorBand, true, at, to, middle) {
					t.Errorf("%s: %s does not last from %v to %v", f.Name, x.Name(), at, to)
				}
			}
		}
	})
}

// TestEveryRecoveryIsItsGrant compares the stems with the record, the slow way.
func TestEveryRecoveryIsItsGrant(t *testing.T) {
	scenes(t, func(t *testing.T, v *view.View) {
		all := recoveries(v)
		if len(all) != len(v.Faults) {
			t.Fatalf("%d stems of %d faults", len(all), len(v.Faults))
		}
		for i, f := range v.Faults {
			first := v.End
			for _, h := range v.Holds {
				if h.From > f.From {
					first = min(first, h.From)
				}
			}
			want := stem{units.Seconds(f.From), units.Millis(first - f.From), first == v.End}
			if all[i] != want {
				t.Errorf("%s: %+v, want %+v", f.Name(), all[i], want)
			}
		}
	})
}

// TestNoGrantIsNever draws a cross where no client was granted the lock after a fault.
func TestNoGrantIsNever(t *testing.T) {
	v := reporttest.View(t, &store.Run{History: &history.History{
		Header: history.Header{Clients: 2}, Events: []history.Event{
			{Type: history.Fault, T: 4e9, Process: history.Harness, F: "kill", Target: "n0", ID: 1,
				Phase: history.PhaseFrom},
			{Type: history.End, T: 10e9, Process: history.Harness}}}})
	f, err := recoveryFigure(v)
	if err != nil {
		t.Fatal(err)
	}
	d := drawn(t, f)
	if !slices.Contains(d.texts, "never") || !d.has(colorBad, false, 4, 4, 6000) {
		t.Errorf("a fault without a recovery: %q", d.texts)
	}
	if label := strings.Join(d.texts, "|"); !strings.Contains(label, "kill n0") {
		t.Errorf("the fault is not named: %s", label)
	}
}

// TestClocksAreWhatThePlanSays draws the moves of a clock that was not measured.
func TestClocksAreWhatThePlanSays(t *testing.T) {
	event := func(at int64, id int, target string) history.Event {
		return history.Event{Type: history.Fault, T: at, Process: history.Harness, F: "client-clock",
			Target: target, ID: id, Phase: history.PhaseFrom}
	}
	v := reporttest.View(t, &store.Run{
		Plan: []byte(`{"scenario":[{"do":"client-clock","target":"c0","offset":"2s"},
			{"do":"client-clock","target":"c1","rate":0.5},
			{"do":"client-clock","target":"c0","offset":"-1s"}]}`),
		History: &history.History{Header: history.Header{Clients: 2}, Events: []history.Event{
			event(1e9, 1, "c0"), event(2e9, 2, "c1"), event(6e9, 3, "c0"),
			{Type: history.End, T: 10e9, Process: history.Harness}}}})
	want := map[string]string{"c0": "[{0 0} {1 0} {1 2} {6 2} {6 -1} {10 -1}]",
		"c1": "[{0 0} {2 0} {2 0} {10 4}]"}
	for _, s := range skews(v) {
		if got := fmt.Sprint(s.points); got != want[s.name] || s.measured {
			t.Errorf("%s: %s, want %s", s.name, got, want[s.name])
		}
		delete(want, s.name)
	}
	if len(want) > 0 {
		t.Errorf("not drawn: %v", want)
	}
}
