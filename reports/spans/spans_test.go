package spans_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/spans"
	"github.com/lockbench/lockbench/reports/view"
)

// simulated runs a lock in the simulator.
func simulated(t *testing.T, lock, fault string, seed uint64) *view.View {
	t.Helper()
	p, _, err := runner.Prepare(context.Background(), harness.RunOptions{Impl: lock,
		Nemesis: fault, Environment: runner.Sim, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Run(context.Background(), p, runner.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return reporttest.View(t, r)
}

// views are runs with overlapping holds, killed clients, several masters, renewals in the
// background and no violation.
func views(t *testing.T) map[string]*view.View {
	return map[string]*view.View{
		"made up": reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 4, Cycles: 40,
			Fail: true})),
		"pause":      simulated(t, "setnx-del-expired", "pause", 654602112),
		"crash":      simulated(t, "token-lua", "crash", 1),
		"masters":    simulated(t, "redlock", "clock-server:+", 3),
		"background": simulated(t, "redisson", "pause", 2),
		"none":       simulated(t, "token-lua", "none", 1),
	}
}

// strict decodes a document and refuses fields that the format does not have.
func strict(t *testing.T, v *view.View, write func(io.Writer, *view.View) error, to any) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		t.Fatal(err)
	}
}

// chromeEvent has the fields of the trace event format, by its document.
type chromeEvent struct {
	Ph   string         `json:"ph"`
	Name string         `json:"name"`
	Cat  string         `json:"cat"`
	PID  *int           `json:"pid"`
	TID  *int           `json:"tid"`
	TS   *float64       `json:"ts"`
	Dur  *float64       `json:"dur"`
	ID   *int           `json:"id"`
	BP   string         `json:"bp"`
	S    string         `json:"s"`
	Args map[string]any `json:"args"`
}

type chromeTrace struct {
	TraceEvents     []chromeEvent  `json:"traceEvents"`
	DisplayTimeUnit string         `json:"displayTimeUnit"`
	OtherData       map[string]any `json:"otherData"`
}

func TestPerfettoHasTheStructureOfTraceEvents(t *testing.T) {
	for name, v := range views(t) {
		t.Run(name, func(t *testing.T) {
			var f chromeTrace
			strict(t, v, spans.WritePerfetto, &f)
			threads := wellFormed(t, f)
			for _, p := range v.Clients {
				if !slices.Contains(threads, view.Who(p)) {
					t.Errorf("no track of %s in %q", view.Who(p), threads)
				}
			}
			for _, n := range v.Redis() {
				if !slices.Contains(threads, n.Name) {
					t.Errorf("no track of %s in %q", n.Name, threads)
				}
			}
			for _, x := range v.Faults {
				if !slices.Contains(threads, x.Name()) {
					t.Errorf("no track of %q in %q", x.Name(), threads)
				}
			}
			if got := len(flowsOf(t, f)); got != together(v) {
				t.Errorf("%d flows, want %d", got, together(v))
			}
		})
	}
}

// together counts the neighbouring holds of the violations.
func together(v *view.View) (n int) {
	for _, w := range v.Violations {
		n += max(0, len(w.Holds)-1)
	}
	return n
}

// wellFormed checks each event by its phase, and returns the names of the threads.
func wellFormed(t *testing.T, f chromeTrace) (threads []string) {
	t.Helper()
	named, slices := map[int]bool{}, map[int][]chromeEvent{}
	for i, e := range f.TraceEvents {
		if e.PID == nil || e.TID == nil || e.TS == nil || e.Name == "" {
			t.Fatalf("event %d lacks a field: %+v", i, e)
		}
		if e.Ph != "M" && !named[*e.TID] {
			t.Errorf("event %d is in a thread without a name: %+v", i, e)
		}
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				named[*e.TID] = true
				threads = append(threads, e.Args["name"].(string))
			}
		case "X":
			if e.Dur == nil || *e.Dur < 0 || *e.TS < 0 {
				t.Errorf("event %d has no time: %+v", i, e)
			}
			slices[*e.TID] = append(slices[*e.TID], e)
		case "i":
			if e.S != "t" {
				t.Errorf("event %d has the scope %q", i, e.S)
			}
		case "s", "f":
			if e.ID == nil || e.Cat == "" {
				t.Errorf("event %d is no flow: %+v", i, e)
			}
		default:
			t.Errorf("event %d has the phase %q", i, e.Ph)
		}
	}
	for tid, all := range slices {
		nested(t, tid, all)
	}
	return threads
}

// nested fails if two slices of a thread overlap and neither contains the other.
func nested(t *testing.T, tid int, all []chromeEvent) {
	t.Helper()
	for i, a := range all {
		for _, b := range all[i+1:] {
			aEnd, bEnd := *a.TS+*a.Dur, *b.TS+*b.Dur
			const rounding = 1e-4
			if *a.TS < *b.TS && *b.TS < aEnd-rounding && aEnd < bEnd-rounding {
				t.Fatalf("in thread %d, %q and %q overlap", tid, a.Name, b.Name)
			}
		}
	}
}

// flowsOf pairs the begins and ends of flows, each within a hold.
func flowsOf(t *testing.T, f chromeTrace) map[int][2]string {
	t.Helper()
	flows := map[int][2]string{}
	for _, e := range f.TraceEvents {
		if e.Ph != "s" && e.Ph != "f" {
			continue
		}
		i := slices.IndexFunc(f.TraceEvents, func(x chromeEvent) bool {
			return x.Ph == "X" && *x.TID == *e.TID && strings.HasPrefix(x.Name, "hold ") &&
				*x.TS <= *e.TS && *e.TS <= *x.TS+*x.Dur
		})
		if i < 0 {
			t.Fatalf("a flow outside of the holds: %+v", e)
		}
		pair := flows[*e.ID]
		pair[strings.Index("sf", e.Ph)] = f.TraceEvents[i].Name
		flows[*e.ID] = pair
	}
	for id, pair := range flows {
		if pair[0] == "" || pair[1] == "" {
			t.Errorf("flow %d has one end", id)
		}
	}
	return flows
}

func TestPerfettoShowsWhatAClientDid(t *testing.T) {
	var f chromeTrace
	strict(t, simulated(t, "setnx-del-expired", "pause", 654602112), spans.WritePerfetto, &f)
	seen := map[string]bool{}
	for _, e := range f.TraceEvents {
		seen[e.Ph+" "+e.Cat+" "+e.Name] = true
	}
	for _, want := range []string{"X clients acquire lock 0", "X clients hold lock 0",
		"X clients release", "X clients DEL lock:0", "X servers key of lock 0: client 1",
		"X faults pause client 1", "X violations S violated", "s violations S violated",
		"i violations client 3: DEL lock:0 deletes the key of client 1"} {
		if !seen[want] {
			t.Errorf("no event %q", want)
		}
	}
}
