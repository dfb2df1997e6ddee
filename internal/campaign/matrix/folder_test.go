package matrix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestAFolderGoesOnAfterEachInterruption interrupts each process after two runs, in the middle of a
// line: nothing that was done is done again, and nothing is lost.
func TestAFolderGoesOnAfterEachInterruption(t *testing.T) {
	f, err := Create(t.TempDir(), some)
	if err != nil {
		t.Fatal(err)
	}
	all, err := some.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		ctx, stop := context.WithCancel(t.Context())
		w := expected()
		w.after = func(n int) {
			if n == 3 { // the third has no result
				stop()
			}
		}
		if _, err := Resume(f.Dir); err == nil || !strings.Contains(err.Error(), "another lockbench") {
			t.Fatalf("two processes go on with it: %v", err)
		}
		err := f.Run(ctx, w.run, nil)
		if stop(); err == nil {
			if n < len(all)/2-1 || len(f.Known) < len(all) {
				t.Errorf("%d processes, %d results of %d runs", n, len(f.Known), len(all))
			}
			break
		} else if !errors.Is(err, context.Canceled) || len(f.Known) != 2*(n+1) {
			t.Fatalf("process %d: %d results, %v", n, len(f.Known), err)
		}
		cutOff(t, filepath.Join(f.Dir, resultsFile))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if f, err = Resume(f.Dir); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	if f, err = Open(f.Dir); err != nil || f.Options.Rows[0] != some.Rows[0] || f.Close() != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// cutOff adds the beginning of a line to a file.
func cutOff(t *testing.T, name string) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(`{"format":2,"row":"tok`); err != nil {
		t.Fatal(err)
	}
}

// TestShardsOfAFolderAreMerged runs two shards in folders of their own; what they are together is
// what the whole would have been.
func TestShardsOfAFolderAreMerged(t *testing.T) {
	var parts []Part
	for i := range 2 {
		o := some
		o.Shard = batch.Shard{Index: i + 1, Of: 2}
		f, err := Create(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenPart(f.Dir); err == nil || !strings.Contains(err.Error(), "not run to its end") {
			t.Errorf("a shard that was not run is a part: %v", err)
		}
		if err := f.Run(t.Context(), expected().run, nil); err != nil {
			t.Fatal(err)
		}
		m, err := New(f.Options, f.Known)
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(f.Dir, File))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(m.Write(file), file.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		p, err := OpenPart(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	got, _, results, err := Merge(parts, false)
	if err != nil {
		t.Fatal(err)
	}
	known, err := some.Run(t.Context(), expected().run, nil, new(strings.Builder), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := New(some, known)
	if err != nil || len(results) != len(known) {
		t.Fatalf("%d results, and %d of the whole; %v", len(results), len(known), err)
	}
	for i := range want.Cells {
		if got, want := got.Cells[i].String(), want.Cells[i].String(); got != want {
			t.Errorf("%s, %s: %s, and of the whole %s", known[0].Row, known[0].Column, got, want)
		}
	}
	if _, _, _, err := Merge(parts[:1], false); err == nil ||
		!strings.Contains(err.Error(), "shard 2/2") {
		t.Errorf("half of it is the whole: %v", err)
	}
}
