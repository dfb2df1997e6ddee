package gate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

// TestAMeasurementGoesOn interrupts a measurement after three of six runs. The next process makes
// the others only, and its result is that of a measurement without a break.
func TestAMeasurementGoesOn(t *testing.T) {
	g := gate(t, "a|process|3|safe", "b|process|3|safe")
	b := always(batchtest.Verdict(checker.Valid, "S"), nil)
	whole := b.measure(t, t.Context(), g, Options{Jobs: 1})
	dir := filepath.Join(t.TempDir(), "2026")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	name := (&Machine{gate: g}).Record()
	open := func() *batch.Record[Done] {
		r, err := batch.OpenRecord[Done](filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	ctx, cancel := context.WithCancel(t.Context())
	b.runs = nil
	part := b.measure(t, ctx, g, Options{Jobs: 1, Record: open(), Tell: func(done, _ int, _ string) {
		if done == 3 {
			cancel()
		}
	}})
	if !part.Partial || len(b.runs) != 3 {
		t.Fatalf("interrupted: %v, after %q", part.Partial, b.runs)
	}
	if got := Unfinished([]string{filepath.Dir(dir), dir}, name); got != dir {
		t.Errorf("the unfinished measurement is in %q", got)
	}
	b.runs = nil
	first := -1
	rest := b.measure(t, t.Context(), g, Options{Jobs: 1, Record: open(), Tell: func(done, _ int,
		_ string) {
		if first < 0 {
			first = done
		}
	}})
	if want := []string{"b 1", "b 2", "b 3"}; !slices.Equal(b.runs, want) || first != 3 {
		t.Errorf("went on after %d with %q", first, b.runs)
	}
	if rest.Partial || rest.Says.Of != 6 || rest.Says.Forms["GET"] != 6 || whole.Says.Of != 6 {
		t.Errorf("partial: %v, messages of %d and %d runs", rest.Partial, rest.Says.Of, whole.Says.Of)
	}
	for i, e := range rest.Entries {
		if w := whole.Entries[i]; e.Claim != w.Claim || len(e.Runs) != len(w.Runs) {
			t.Errorf("%d runs, %s; without a break %d, %s", len(e.Runs), e.Claim, len(w.Runs), w.Claim)
		}
	}
	g.Digest = "sha256:1"
	if (&Machine{gate: g}).Record() == name {
		t.Error("another file goes on with the runs of this one")
	}
}

// measure runs a gate whose lock says GET in each run.
func (b *bench) measure(t *testing.T, ctx context.Context, g *File, o Options) *Result {
	t.Helper()
	ready := b.ready(g)
	for name, p := range ready {
		p.Look = func(string) Look { return Look{Says: []string{"GET"}} }
		ready[name] = p
	}
	r, _ := g.Run(ctx, o, ready) // the error says only that ctx has ended
	return r
}
