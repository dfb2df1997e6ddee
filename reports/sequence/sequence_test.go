package sequence

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/view"
)

// words are the steps as the page lists them.
func words(ss []Step) string {
	var b strings.Builder
	for _, s := range ss {
		fmt.Fprintf(&b, "%s %s\n", s.Stamp(), s.Words())
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 3, Cycles: 6, Fail: true}))
	ss, _ := Steps(v, v.First())
	svg, err := Draw(ss, v.First(), 0)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "failover.svg", string(svg))
	golden.Compare(t, "failover.txt", words(ss))
}

// TestAllHasItsPlace wants all that the record has of a violation in its diagram, and in order.
func TestAllHasItsPlace(t *testing.T) {
	for cycles := 4; cycles < 30; cycles++ {
		v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 2 + cycles%4,
			Cycles: cycles, Fail: true}))
		for _, w := range v.Violations {
			ss, left := Steps(v, w)
			d := &diagram{}
			d.columns(ss, w)
			d.place(ss)
			d.overlap()
			if left > 0 || !slices.IsSortedFunc(ss, func(a, b Step) int { return int(a.T - b.T) }) {
				t.Errorf("%d cycles: %d steps are left out, or some out of order", cycles, left)
			}
			for _, h := range w.Holds {
				holdHasItsPlace(t, d, h)
			}
			faultsHaveTheirPlaces(t, d, v, w)
			overlapHasItsPlace(t, d, w)
		}
	}
}

func holdHasItsPlace(t *testing.T, d *diagram, h checker.Hold) {
	t.Helper()
	d.activation(h.Process, h.From, h.To)
	drawn := d.Inside[len(d.Inside)-1]
	top := slices.IndexFunc(d.Rows, func(r row) bool { return r.Y == drawn.Y })
	if top < 0 || d.Rows[top].T != h.From || d.Rows[top].Kind != stepInside {
		t.Errorf("the hold of client %d does not begin at its grant", h.Process)
	}
	foot := drawn.Y + drawn.Height
	last := slices.IndexFunc(d.Rows, func(r row) bool { return r.Y == foot })
	if last < 0 && foot != d.Foot() || last >= 0 && d.Rows[last].T != h.To ||
		last < 0 && d.Rows[len(d.Rows)-1].T > h.To {
		t.Errorf("the hold of client %d to %d does not end at its last step", h.Process, h.To)
	}
	if drawn.X != d.x(view.Who(h.Process)) || drawn.X == 0 {
		t.Errorf("the hold of client %d is drawn at %v", h.Process, drawn.X)
	}
}

func faultsHaveTheirPlaces(t *testing.T, d *diagram, v *view.View, w *view.Violation) {
	t.Helper()
	lo, hi := w.Extent(v)
	for _, f := range v.Faults {
		drawn := slices.ContainsFunc(d.Rows, func(r row) bool {
			return r.Banner && r.T == f.From && strings.HasPrefix(r.Text, f.Words())
		})
		if during := f.From <= hi && f.To >= lo; during && f.From >= lo && !drawn {
			t.Errorf("%s at %d has no row", f.Words(), f.From)
		}
	}
}

func overlapHasItsPlace(t *testing.T, d *diagram, w *view.Violation) {
	t.Helper()
	for _, r := range d.Rows {
		if edge := d.Both.Y + d.Both.Height; edge > r.Y && edge < r.Y+rowHeight && !r.During {
			t.Errorf("the overlap is drawn to beyond a step at %d, and ends at %d", r.T, w.To)
		}
		during := r.T >= w.From && r.T <= w.To
		if within := r.Y > d.Both.Y && r.Y < d.Both.Y+d.Both.Height; within != during {
			t.Errorf("a step at %d of an overlap from %d to %d: within is %v", r.T, w.From, w.To, within)
		}
	}
}

// TestHostileTextStaysText reads the diagrams of a hostile run as XML, with no element of its own.
func TestHostileTextStaysText(t *testing.T) {
	v := reporttest.View(t, reporttest.HostileRun(t))
	known := []string{"svg", "defs", "marker", "path", "pattern", "rect", "line", "g", "text",
		"title"}
	for i, w := range v.Violations {
		ss, _ := Steps(v, w)
		svg, err := Draw(ss, w, i)
		if err != nil {
			t.Fatal(err)
		}
		for dec := xml.NewDecoder(strings.NewReader(string(svg))); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok && !slices.Contains(known, e.Name.Local) {
				t.Errorf("text of the record became an element %s", e.Name.Local)
			}
		}
	}
}

// acquired are the events of an acquire call that is granted.
func acquired(process int, call, back int64) []history.Event {
	at := func(typ history.Type, t int64) history.Event {
		return history.Event{Type: typ, T: t, Process: process, F: history.Acquire, N: 1}
	}
	return []history.Event{at(history.Invoke, call), at(history.OK, back)}
}

// TestStoriesOfOtherKinds tells violations in which no two are inside together.
func TestStoriesOfOtherKinds(t *testing.T) {
	end := history.Event{Type: history.End, T: 100e6, Process: history.Harness}
	poll := func(seq int, at int64) history.Command {
		return history.Command{Process: 1, Seq: seq, N: 1, Node: "n0", Sent: at, Recv: at + 1e6,
			Args: []string{"SETNX", "lock:0", "v"}, Reply: "0"}
	}
	killed := history.Event{Type: history.Kill, T: 20e6, Process: 0}
	cut := func(id int, at int64, phase string, lasted bool) history.Event {
		return history.Event{Type: history.Fault, T: at, Process: history.Harness, F: "cut", ID: id,
			Target: "c1>*", Phase: phase, Lasted: lasted}
	}
	for _, c := range []struct {
		name    string
		events  []history.Event
		trace   []history.Command
		witness checker.Witness
	}{
		{"a deadlock", append(acquired(0, 1e6, 2e6), killed, end),
			[]history.Command{poll(1, 30e6), poll(2, 40e6), poll(3, 50e6), poll(4, 60e6)},
			checker.Witness{Holds: []checker.Hold{{Process: 1, From: 30e6, To: 90e6}}}},
		{"two cuts", append(acquired(0, 1e6, 2e6), cut(1, 10e6, history.PhaseFrom, false),
			cut(1, 35e6, history.PhaseTo, false), cut(2, 45e6, history.PhaseFrom, false),
			cut(2, 80e6, history.PhaseTo, true), end),
			[]history.Command{poll(1, 30e6), poll(2, 40e6)},
			checker.Witness{Holds: []checker.Hold{{Process: 1, From: 30e6, To: 90e6}}}},
		{"an orphan", append(acquired(0, 1e6, 2e6), killed, end), nil, checker.Witness{
			Commands: []checker.WitnessCommand{{Command: poll(1, 30e6)},
				{Command: history.Command{Node: "n0", Sent: 90e6}, Effect: "the key expired"}}}},
		{"a foreign release", append(append(acquired(0, 1e6, 2e6), killed), end), nil,
			checker.Witness{Holds: []checker.Hold{{Process: 0, N: 1, From: 2e6, To: 20e6}},
				Commands: []checker.WitnessCommand{{Command: history.Command{Process: 1, N: 1, Node: "n0",
					Sent: 10e6, Args: []string{"DEL", "lock:0"}, Err: "i/o timeout"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := reporttest.View(t, &store.Run{Trace: c.trace,
				History: &history.History{Header: history.Header{Clients: 2}, Events: c.events},
				Verdict: &checker.Verdict{Properties: []checker.Property{{Property: checker.Deadlock,
					Verdict: checker.Violated, Witness: &c.witness}}}})
			ss, _ := Steps(v, v.First())
			golden.Compare(t, strings.ReplaceAll(c.name, " ", "-")+".txt", words(ss))
			if svg, err := Draw(ss, v.First(), 1); err != nil || strings.Contains(string(svg), `"both"`) {
				t.Errorf("it draws two inside at once, or %v", err)
			}
		})
	}
}

// TestGapsOfSeveralClients tells what several clients lost in one instant in one row.
func TestGapsOfSeveralClients(t *testing.T) {
	gap := func(process int, at, length int64) history.Event {
		return history.Event{Type: history.Gap, T: at, Process: process, Gap: history.Duration(length)}
	}
	r := &store.Run{History: &history.History{Header: history.Header{Clients: 4}, Events: []history.
		Event{gap(2, 10e6, 9e6), gap(0, 11e6, 9e6), gap(1, 12e6, 9e6), gap(3, 12e6, 9e6),
		gap(0, 13e6, 7e6), gap(1, 40e6, 9e6), {Type: history.End, T: 100e6,
			Process: history.Harness}}}}
	w := &view.Violation{Properties: []string{"S"}, From: 1e6, To: 50e6, Holds: []checker.Hold{
		{Process: 0, From: 5e6, To: 50e6}, {Process: 1, From: 5e6, To: 50e6},
		{Process: 2, From: 5e6, To: 50e6}}}
	steps, _ := Steps(reporttest.View(t, r), w)
	var got []string
	for _, s := range steps {
		if strings.Contains(s.Tip, "did not run") {
			got = append(got, s.Words())
		}
	}
	want := []string{"Clients 0, 1 and 2 did not run for 9.0 ms", "Client 0 did not run for 7.0 ms",
		"Client 1 did not run for 9.0 ms"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEveryVoteIsDrawn has a grant of five servers, of which the verdict names one command.
func TestEveryVoteIsDrawn(t *testing.T) {
	r := &store.Run{History: &history.History{Header: history.Header{Clients: 1,
		Topology: "independent"}, Events: []history.Event{{Type: history.End, T: 100e6,
		Process: history.Harness}}}}
	for i := range 5 {
		r.Trace = append(r.Trace, history.Command{Process: 0, Seq: i, N: 1, Node: fmt.Sprint("n", i),
			Sent: int64(1+i) * 1e6, Recv: int64(2+i) * 1e6, Reply: "OK",
			Args: []string{"SET", "lock:0", "a", "NX"}})
	}
	w := &view.Violation{Properties: []string{"S"}, From: 1e6, To: 50e6,
		Holds:    []checker.Hold{{Process: 0, N: 1, From: 7e6, To: 50e6}},
		Commands: []checker.WitnessCommand{{Command: r.Trace[3]}}}
	steps, _ := Steps(reporttest.View(t, r), w)
	nodes := map[string]int{}
	for _, s := range steps {
		if s.Kind == stepSend {
			nodes[s.Node]++
		}
	}
	if len(nodes) != 5 || nodes["n3"] != 1 {
		t.Errorf("the votes that are drawn are %v, want one of each of five", nodes)
	}
}

// TestLabelsTellValuesApart: values that begin alike stay two, and a script keeps its name.
func TestLabelsTellValuesApart(t *testing.T) {
	for want, args := range map[string][]string{
		"SET lock:0 b214bc…6933 NX PX 2000": {"SET", "lock:0",
			"b214bc04b3fdd4f990a18022da327b92c5246933", "NX", "PX", "2000"},
		"SET lock:0 client…ad-2":           {"SET", "lock:0", "client-1-thread-2"},
		"SET lock:0 b214bc…6933:7":         {"SET", "lock:0", "b214bc04-b3fd-d4f9-90a1-80226933:7"},
		"EVAL <script: delete own> lock:0": {"EVAL", "<script: delete own>", "lock:0"},
		"SETNX lock:0 <2.001 s>":           {"SETNX", "lock:0", "946684802001 <2.001 s>"},
	} {
		if got := brief(args); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
