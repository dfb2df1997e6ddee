package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

// environment is a Runner that finds what it is told to, and remembers what it was asked.
type environment struct {
	mu    sync.Mutex
	found map[string]string // nemesis -> letters
	fail  map[string]error
	slow  map[string]bool // the first run of it stalls
	runs  []string
	after func(n int)
}

func (w *environment) run(_ context.Context, p harness.Plan, dir string) (*checker.Verdict, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = append(w.runs, p.Nemesis)
	if w.after != nil {
		w.after(len(w.runs))
	}
	if err := w.fail[p.Nemesis]; err != nil {
		return nil, err
	}
	if w.slow[p.Nemesis] {
		delete(w.slow, p.Nemesis)
		v := batchtest.Verdict(checker.Unknown, "")
		v.Evidence.Gaps = 1
		return v, nil
	}
	return batchtest.Verdict(checker.Valid, w.found[p.Nemesis]), nil
}

var some = Options{Rows: []string{"token-lua", "redlock per attempt"}, Columns: []string{
	"none", "longwork", "pause", "failover", "minority-loss"}, Jobs: 1, Environment: "fake"}

func expected() *environment {
	return &environment{found: map[string]string{
		"overrun": "S", "pause": "S", "failover:after": "SL", "failover:release": "R",
		"pause:between": "", "token-lua constant": "",
	}}
}

func TestAMatrixRunsEverythingAndRepeatsWhatItMissed(t *testing.T) {
	w := expected()
	w.slow = map[string]bool{"pause:short": true}
	o := some
	o.Rows, o.Columns = []string{"setnx-expire-lua"}, []string{"none", "longwork", "pause",
		"minority-loss"}
	var out bytes.Buffer
	var told []string
	rs, err := o.Run(t.Context(), w.run, nil, &out, func(s Step) {
		told = append(told, fmt.Sprintf("%d of %d; %s", s.Done, s.All, s.Why))
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"0 of 4; ", "1 of 5; ", "2 of 5; ", "3 of 5; ", "4 of 5; ",
		"5 of 5; the machine was too busy"}, told); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"pause:short", "pause", "overrun", "none", "pause:short"},
		w.runs); d != "" {
		t.Error(d)
	}
	read, err := ReadResults(&out)
	if err != nil || len(read) != len(rs) || !read[4].Alone {
		t.Errorf("%d results written, %d returned; %v", len(read), len(rs), err)
	}
	m, err := New(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{"none": "-", "longwork": "S", "pause": "S",
		"minority-loss": "n/p"} {
		if got := m.Cell("setnx-expire-lua", column).String(); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
	w.found["pause"], w.runs = "", nil // not found at first: asked once more, as soon as it is known
	if rs, err = o.Run(t.Context(), w.run, nil, &out, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"pause:short", "pause", "pause", "overrun", "none"}, w.runs); d != "" {
		t.Error(d)
	}
	said := Repeated(append(rs, read...))
	if d := cmp.Diff([]string{
		"1 run was repeated, because the machine was too busy: setnx-expire-lua under pause:short",
		"1 run was repeated, because an expected violation was missed: setnx-expire-lua under pause",
	}, said); d != "" {
		t.Error(d)
	}
	w.runs = nil
	o.Excused = func(row, column, letter string) bool {
		return row == "setnx-expire-lua" && column == "pause" && letter == "S"
	}
	if _, err := o.Run(t.Context(), w.run, nil, &out, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"pause:short", "pause", "overrun", "none"}, w.runs); d != "" {
		t.Errorf("what is missing for a reason: %s", d)
	}
}

func TestAMatrixGoesOnAfterAnInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := expected()
	w.after = func(n int) {
		if n == 3 {
			cancel()
		}
	}
	var out bytes.Buffer
	rs, err := some.Run(ctx, w.run, nil, &out, nil)
	if !errors.Is(err, context.Canceled) || len(rs) != 2 {
		t.Fatalf("%d results, %v; the run that was cut short has none", len(rs), err)
	}
	m, err := New(some, rs)
	if err != nil || m.Cell("token-lua", "failover").String() != "?" {
		t.Errorf("what was not run is shown as %s; %v", m.Cell("token-lua", "failover"), err)
	}
	known, err := ReadResults(strings.NewReader(out.String() +
		`{"format":2,"row":"tok`)) // the last line was cut off
	if err != nil {
		t.Fatal(err)
	}
	w.after, w.runs = nil, nil
	rs, err = some.Run(t.Context(), w.run, known, &out, nil)
	all, _ := some.Tasks()
	alone := 0
	for _, r := range rs {
		if r.Alone {
			alone++
		}
	}
	if err != nil || len(rs) != len(all)+alone || len(w.runs) != len(all)-2+alone {
		t.Errorf("%d results and %d runs of %d; %v", len(rs), len(w.runs), len(all), err)
	}
}

func TestAFailedRunIsUnknownAndSaysWhy(t *testing.T) {
	w := expected()
	w.fail = map[string]error{"pause": errors.New("no room")}
	o := some
	o.Rows, o.Columns = []string{"redlock per attempt"}, []string{"pause"}
	rs, err := o.Run(t.Context(), w.run, nil, &bytes.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := New(o, rs)
	c := m.Cell("redlock per attempt", "pause")
	if c.String() != "?" || c.Property("S").Reason != "no room" {
		t.Errorf("%s: %+v", c, c.Property("S"))
	}
}

// TestTheZeroResultIsUnknown holds the matrix to the checker's rule that unknown never passes.
func TestTheZeroResultIsUnknown(t *testing.T) {
	r := newResult(Task{}, "", &checker.Verdict{Properties: []checker.Property{
		{Property: "S", Reason: "the machine stalled", Stalled: true}}}, nil, 0)
	if r.Properties["S"] != checker.Unknown || r.Verdict != checker.Unknown || !r.Stalled {
		t.Errorf("%+v", r)
	}
	if l := newProperty("S", []Result{r}); l.Found != checker.Unknown {
		t.Errorf("%+v", l)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAMatrixEndsWhenItCannotWrite(t *testing.T) {
	w := expected()
	if _, err := some.Run(t.Context(), w.run, nil, broken{}, nil); err == nil ||
		!strings.Contains(err.Error(), "disk full") {
		t.Error(err)
	}
	if len(w.runs) > 3 {
		t.Errorf("it ran %d more", len(w.runs))
	}
}

// TestGolden pins what people and programs read.
func TestGolden(t *testing.T) {
	w := expected()
	w.found["none"], w.found["pause:short"] = "", "S"
	rs, err := some.Run(t.Context(), w.run, nil, &bytes.Buffer{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rs {
		rs[i].Took = 0
	}
	m, err := New(some, rs)
	if err != nil {
		t.Fatal(err)
	}
	m.Versions, m.Took = map[string]string{"redis": "7.0.15"}, history.Duration(time.Minute)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"matrix.json": func(b *bytes.Buffer) error { return m.Write(b) },
		"matrix.md":   func(b *bytes.Buffer) error { return m.Markdown(b) },
		"matrix.txt":  func(b *bytes.Buffer) error { return m.Text(b, 0) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(name, err)
		}
		golden.Compare(t, name, b.Bytes())
		if name == "matrix.json" {
			if _, err := Read(&b); err != nil {
				t.Error(err)
			}
		}
	}
}
